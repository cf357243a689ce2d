"""What a request is made of: parts by category and item, and a signed residual to the provider's total."""

from __future__ import annotations

from harness.accounting.account import Account, Category, Row, account_of
from harness.accounting.categories import CATEGORIES, Kind, Shape, shape_of
from harness.accounting.pieces import Piece, count_of

__all__ = ["CATEGORIES", "Account", "Category", "Kind", "Piece", "Row", "Shape", "account_of", "count_of", "shape_of"]
