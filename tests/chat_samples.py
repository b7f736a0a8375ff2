"""Chats and transcripts in the export formats of various programs, written for these tests."""

import json

WHATSAPP_ANDROID = """\
12/05/2023, 21:04 - Messages and calls are end-to-end encrypted. No one outside of this chat can read them.
12/05/2023, 21:04 - Ana created group "Boat"
12/05/2023, 21:05 - Ana: Has anyone seen my keys?
They were on the table:
 - the small ones
12/05/2023, 21:06 - +44 7700 900123: I gave them to Zoe. She has them.
12/05/2023, 21:06 - Ana: <Media omitted>
12/05/2023, 21:07 - Ben Lee-Roy 🙂: IMG-20230512-WA0001.jpg (file attached)
Is this her car?
12/05/2023, 21:08 - Ana changed the subject from "Boat" to "Boat: the second"
12/05/2023, 21:09 - Ana: Yes, it is hers. <This message was edited>
12/05/2023, 21:10 - Ben Lee-Roy 🙂: This message was deleted
"""
WHATSAPP_TURNS = [
    ("Ana", "Has anyone seen my keys?\nThey were on the table:\n - the small ones"),
    ("+44 7700 900123", "I gave them to Zoe. She has them."),
    ("Ben Lee-Roy 🙂", "Is this her car?"),
    ("Ana", "Yes, it is hers."),
]
WHATSAPP_IOS = """\
[5/12/23, 9:04:11\u202fPM] Boat: \u200eMessages and calls are end-to-end encrypted.
[5/12/23, 9:05:00\u202fPM] Ana: Has anyone seen my keys?
They were on the table:
 - the small ones
[5/12/23, 9:06:10\u202fPM] ~\u202f+44 7700 900123: I gave them to Zoe. She has them.
\u200e[5/12/23, 9:06:30\u202fPM] Ana: \u200eimage omitted
[5/12/23, 9:07:00\u202fPM] Ben Lee-Roy 🙂: Is this her car?
[5/12/23, 9:08:00\u202fPM] Ana: \u200eAna changed the subject to “Boat”
[5/12/23, 9:09:00\u202fPM] Ana: Yes, it is hers. \u200e<This message was edited>
"""

IRSSI = """\
--- Log opened Mon May 01 10:00:00 2023
10:00 -!- ana [ana@example.org] has joined #boat
10:02 < ana> has anyone seen my keys?
10:02 <@ben|away> zoe has them
10:03  * ana waves at zoe
10:03 -!- Irssi: #boat: Total of 3 nicks
10:04 <+zoe> I do, ana: here they are
--- Day changed Tue May 02 2023
10:05 -!- mode/#boat [+o zoe] by ben
10:06 < ana> thank you
--- Log closed Tue May 02 10:07:00 2023
"""
WEECHAT = """\
2023-05-01 10:00:00\t-->\tana (~ana@example.org) has joined #boat
2023-05-01 10:02:03\tana\thas anyone seen my keys?
2023-05-01 10:02:40\t@ben|away\tzoe has them
2023-05-01 10:03:00\t *\tana waves at zoe
2023-05-01 10:03:10\t--\tMode #boat [+o zoe] by ben
2023-05-01 10:04:00\t+zoe\tI do, ana: here they are
2023-05-01 10:06:00\tana\tthank you
2023-05-01 10:07:00\t<--\tben (~ben@example.org) has quit (Bye)
"""
ZNC = """\
[10:00:00] *** Joins: ana (ana@example.org)
[10:02:03] <ana> has anyone seen my keys?
[10:02:40] <ben|away> zoe has them
[10:03:00] * ana waves at zoe
[10:03:10] *** ben sets mode: +o zoe
[10:04:00] <zoe> I do, ana: here they are
[10:06:00] <ana> thank you
[10:07:00] *** Quits: ben (ben@example.org) (Bye)
"""
HEXCHAT = """\
**** BEGIN LOGGING AT Mon May  1 10:00:00 2023

May 01 10:00:00 *\tNow talking on #boat
May 01 10:02:03 <ana>\thas anyone seen my keys?
May 01 10:02:40 <ben|away>\tzoe has them
May 01 10:03:00 *\tana waves at zoe
May 01 10:03:10 *\tben gives channel operator status to zoe
May 01 10:04:00 <zoe>\tI do, ana: here they are
May 01 10:06:00 <ana>\tthank you
May 01 10:06:30 *\tben|away has quit (Bye)
**** ENDING LOGGING AT Mon May  1 10:07:00 2023
"""
IRC_TURNS = [
    ("ana", "has anyone seen my keys?"),
    ("ben|away", "zoe has them"),
    ("ana", "ana waves at zoe"),
    ("zoe", "I do, ana: here they are"),
    ("ana", "thank you"),
]

OTTER = """\
Weekly meeting
Mon, May 1

Ana Souza  0:04
Good morning. Has anyone seen my keys?
They were here.

Ben Lee  0:11
Zoe has them. At 10:30
she left.

Speaker 3  1:02:15
I saw her: she ran.
"""
ZOOM = """\
[Ana Souza] 10:02:03
Good morning. Has anyone seen my keys?
They were here.

[Ben Lee] 10:02:11
Zoe has them. At 10:30
she left.

[Speaker 3] 10:03:15
I saw her: she ran.
"""
TEAMS = """\
0:0:0.0 --> 0:0:3.120
Ana Souza
Good morning. Has anyone seen my keys?
They were here.

0:0:3.120 --> 0:0:5.0
Ben Lee
Zoe has them. At 10:30
she left.

0:0:5.0 --> 0:0:7.500
Speaker 3
I saw her: she ran.
"""
TIME_FIRST = """\
[00:00:04] Ana Souza
Good morning. Has anyone seen my keys?
They were here.

[00:00:11] Ben Lee
Zoe has them. At 10:30
she left.

[01:02:15] Speaker 3
I saw her: she ran.
"""
TIME_IN_BRACKETS = """\
Ana Souza (00:00:04):
Good morning. Has anyone seen my keys?
They were here.

Ben Lee (00:00:11):
Zoe has them. At 10:30
she left.

Speaker 3 (01:02:15): I saw her: she ran.
"""
MEETING_TURNS = [
    ("Ana Souza", "Good morning. Has anyone seen my keys?\nThey were here."),
    ("Ben Lee", "Zoe has them. At 10:30\nshe left."),
    ("Speaker 3", "I saw her: she ran."),
]
ZOOM_CHAT = """\
10:02:03 From Ana Souza to Everyone:
\tHas anyone seen my keys?
10:02:11 From Ben Lee to Ana Souza (Direct Message):
\tZoe has them.
10:02:40\t From  Ana Souza : Thank her.
"""
ZOOM_CHAT_TURNS = [
    ("Ana Souza", "Has anyone seen my keys?"),
    ("Ben Lee", "Zoe has them."),
    ("Ana Souza", "Thank her."),
]

WEBVTT = """\
WEBVTT - a meeting

NOTE This is a comment
of two lines

STYLE
::cue { color: white }

intro-1
00:01.000 --> 00:04.000 align:start position:0%
<v Ana Souza>Has anyone seen <i>my</i> keys, which

2
00:00:04.000 --> 00:00:06.500
<v Ana Souza>were on the table?</v>

00:00:06.500 --> 00:00:08.000
<v.loud Ben>Zoe has them.</v> <v Zoe>No, I don't.
[door slams]

00:00:08.000 --> 00:00:09.000
ANA: They are gone.

00:00:09.000 --> 00:00:10.000
- Who?
- BEN: My keys.
"""
SRT = """\
1
00:00:01,000 --> 00:00:04,000
ANA: Has anyone seen <i>my</i> keys, which

2
00:00:04,000 --> 00:00:06,500
{\\an8}were on the table?

3
00:00:06,500 --> 00:00:08,000 X1:10 X2:20
>> BEN: Zoe has them.
>> ZOE: No, I don't.
(DOOR SLAMS)

4
00:00:08,000 --> 00:00:09,000
ANA: They are gone.

5
00:00:09,000 --> 00:00:10,000
- Who?
- BEN: My keys.
"""
# The sentences of WEBVTT and of SRT with their speakers, who are named as in WEBVTT.
CUE_SENTENCES = [
    ("Ana Souza", "Has anyone seen my keys , which were on the table ?"),
    ("Ben", "Zoe has them ."),
    ("Zoe", "No , I do n't ."),
    ("ANA", "They are gone ."),
    ("-", "Who ?"),
    ("BEN", "My keys ."),
]
AUTOMATIC = """\
WEBVTT
Kind: captions
Language: en

00:00:00.160 --> 00:00:02.389 align:start position:0%
\x20
has<00:00:00.320><c> anyone</c><00:00:00.480><c> seen</c>

00:00:02.389 --> 00:00:02.399 align:start position:0%
has anyone seen
\x20

00:00:02.399 --> 00:00:04.000 align:start position:0%
has anyone seen
my<00:00:02.600><c> keys</c>
"""

SLACK_USERS = [
    {
        "id": "U01",
        "name": "asouza",
        "real_name": "Ana Souza",
        "profile": {"display_name": "Ana", "real_name": "Ana S"},
    },
    {"id": "U02", "name": "ben", "profile": {"display_name": "", "real_name": "Ben Lee"}},
]
SLACK = [
    {"type": "message", "subtype": "channel_join", "user": "U01", "ts": "1.0", "text": "<@U01> has joined"},
    {
        "type": "message",
        "user": "U01",
        "ts": "1683000001.000100",
        "text": 'Has <@U02> seen my "keys" &amp; bag?\nSee <https://a.org|here>.',
    },
    {
        "type": "message",
        "user": "U02",
        "ts": "1683000002.000200",
        "text": "Zoe has them \u2013 she\u2019s in <#C01|general>, <!here>!",
    },
    {"type": "message", "user": "U02", "ts": "1683000003.000300", "text": "", "files": [{"name": "x.png"}]},
    {"user": "U03", "user_profile": {"display_name": "Zoe"}, "ts": "1683000004.000400", "text": "I do."},
    {"subtype": "bot_message", "username": "deploy bot", "ts": "1683000005.000500", "text": "It failed."},
    {"type": "message", "user": "U09", "ts": "1683000006.000600", "text": "<@U77> broke it."},
]
SLACK_TURNS = [
    ("Ana", 'Has Ben Lee seen my "keys" & bag?\nSee here.'),
    ("Ben Lee", "Zoe has them \u2013 she\u2019s in #general, @here!"),
    ("Zoe", "I do."),
    ("deploy bot", "It failed."),
    ("U09", "U77 broke it."),
]


def slack_json(indent: int | None = 4) -> str:
    """Returns the messages as a Slack export has them."""
    return json.dumps(SLACK, indent=indent)
