"""Tools across all conversations: what each cost, where it was resident, deferred, loaded, called and missed."""
