"""Words that stand for each other in everyday requests and in the descriptions of tools.

General English and the vocabulary of programming interfaces, written by hand. A word may stand in
several groups. Verbs such as get and find are left out on purpose: tools are told apart by them,
and to mix them up cost more than it found.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Final

from harness.search.stemming import stem

GROUPS: Final = """
send deliver transmit forward
email mail inbox
message chat conversation sms text
notify alert remind reminder notification
book reserve reservation booking
schedule plan appointment calendar agenda event
buy purchase shop shopping order store
sell sale
product item goods merchandise
discount deal coupon promo voucher offer bargain saving
price cost fare fee quote rate
pay payment charge transaction
invoice bill receipt
movie film cinema
tv television series episode
song music track tune album playlist artist
video clip footage
photo picture image photograph illustration
logo icon graphic
flight plane airline airport
trip travel vacation holiday itinerary tour journey
hotel accommodation lodging hostel stay
restaurant dining eat dinner lunch meal food cuisine
recipe cook cooking dish ingredient
nutrition diet calorie
workout exercise fitness gym training
job career employment hiring vacancy recruit
resume cv
house home property apartment estate housing rental
rent lease hire
car vehicle auto automobile
doctor physician medical health clinic patient disease symptom
drug medicine medication pharmacy
pet dog cat animal
stock share equity ticker
crypto cryptocurrency bitcoin coin token blockchain ethereum
money finance financial budget
bank account loan mortgage
tax vat
invest investment portfolio fund
company business firm enterprise corporation
customer client
weather forecast temperature climate rain
news headline article press
compute calculate determine evaluate calculation
estimate predict prediction
convert transform conversion
translate translation language
summary summarize abstract overview
explain describe explanation
analyze analysis assess examine
compare comparison difference diff
chart graph plot diagram visualize visualization
map location place address nearby geocode direction route navigation
local near nearby area
distance far mile
website site webpage url link page web
domain dns hostname
internet online web
file document doc
folder directory path
book novel ebook literature reading
paper research academic scholar study journal publication
learn teach education course lesson tutor study
student pupil learner
school university college
game play gaming player
sport team match league football soccer basketball score
law legal lawyer attorney contract
code program programming script software
repository repo git
bug issue ticket
database db sql table
run execute launch start invoke
stop end halt terminate
load open
save store export write
upload import
share publish post
social twitter instagram facebook tweet
marketing advertising seo campaign
gift present
beauty cosmetics makeup skin
clothes clothing fashion wear outfit dress
astrology horoscope zodiac tarot fortune
date time day clock
current latest recent today live realtime
random dice
joke fun funny humor
user person people member
assignee assign owner
concert show ticket event
rank ranking top best popular trending
recommend suggest recommendation suggestion advice
question answer faq quiz
idea brainstorm inspiration
password credential login
number amount count quantity
mean average
draw drawing paint painting art image
speech voice audio sound podcast
transcript transcribe subtitle caption
phone call telephone contact
train railway rail
bus transit transport
taxi cab ride
"""


def _stand_ins() -> dict[str, tuple[str, ...]]:
    found: defaultdict[str, set[str]] = defaultdict(set)
    for line in GROUPS.split("\n"):
        stems = {stem(word) for word in line.split()}
        for each in stems:
            found[each] |= stems - {each}
    return {each: tuple(sorted(others)) for each, others in found.items()}


STAND_INS: Final = _stand_ins()
"""The stems that may stand for a stem, sorted."""
