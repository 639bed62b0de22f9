"""Mail, chat, calls, calendars, files, pages, tasks and people."""

from typing import Final

ROWS: Final = """
email mail e_mail | message inbox mailbox gmail letter newsletter outlook correspondence
inbox mailbox | email mail unread
message | text chat dm msg note email mail direct_message ping
message direct_message dm pm private_message | chat send_message
dm pm ping > send post
chat | message channel conversation talk room im
sms text_message | message phone
text > sms text_message message content words string
content words string > text
thread conversation | discussion message chat reply topic email mail
channel room | chat group topic conversation
topic subject | title theme description
reply response answer | respond comment return
recipient addressee | to cc receiver email
attachment | file attach enclosed document
spam junk | unwanted block filter
template canned boilerplate | macro preset snippet
macro | template canned shortcut automation
signature | sign footer
newsletter | campaign email mailing bulletin
mailing_list distribution_list audience | list subscriber group contacts segment
call phone telephone ring dial | voice number talk speak phone_call
call | invoke
voicemail voice_mail | message recording
number phone_number | telephone mobile cell contact line
phone mobile | cell handset device number telephone smartphone sms
voice | call audio speech
recording | record audio video call playback
transcript transcription | minutes text captions what_was_said recording notes spoken
meeting | call appointment conference event session video_call sync standup catch_up get_together
event appointment | meeting calendar booking session engagement
calendar agenda diary | schedule event planner
availability free_busy free | busy available open_slot time_slot slot open spare when_can
busy occupied | availability free schedule
video_call video_conference conference_call videoconference | meeting call video join
webinar | meeting registrant seminar online event
attendee participant guest | invitee attended who_came who_joined present people visitor
attend attendance | participant join registrant presence showed_up show_up
register registration | sign_up enrol registrant
registrant | attendee participant register sign_up
invitation invite | guest rsvp
rsvp | respond accept decline invitation
reminder alarm | alert notification
deadline due_date due | date overdue target expire by_when
overdue late | due unpaid past_due outstanding delayed
holiday vacation time_off pto day_off annual_leave sick_leave | absence leave out_of_office away sick
out_of_office auto_reply autoreply vacation_responder | away absent holiday vacation
file document doc | attachment paper pdf folder content
document | page paper word report contract
folder directory | file path drive
drive cloud_storage | storage file disk
storage | space disk bucket quota
pdf | document export file
spreadsheet sheet worksheet excel workbook | table row cell csv
csv | spreadsheet export table
cell | row column field
row record | line entry table
column field attribute | property schema header
property attribute field | value setting
table grid | database sheet rows spreadsheet base
database | table base db sql query store
form survey questionnaire | question response poll feedback
poll survey | vote question
slide slideshow presentation deck powerpoint | slides
page | document article note wiki
wiki knowledge_base help_center | article page documentation docs help handbook
article post | page story blog faq document
blog blog_post | article post publish
faq | help article question
help support | assist ticket article customer_service helpdesk
note memo | comment remark annotation jot jot_down write_down page
comment remark | note reply feedback annotate
paragraph block | text section content
title name heading | subject headline topic
name | title rename
description | summary detail about
template | blueprint pattern
version revision | history release change
history past | previous log activity former historical
permission access role privilege | share rights allowed who_can authorization
access | permission login who_can_see
share | link permission
task todo to_do | action_item assignment reminder job work chore issue ticket
subtask | task child
checklist | task list todo
issue bug ticket defect | problem report task case fault trouble incident error
ticket case support_request | issue request problem complaint enquiry inquiry helpdesk
problem trouble | issue incident error bug
story user_story | issue task epic backlog
epic | story project initiative
backlog | issue task queue todo
sprint cycle iteration | agile board milestone
milestone | goal release sprint target deadline
board kanban | sprint project column
project | board workspace initiative program
priority urgency urgent importance | severity important level
severity | priority level
status state stage | progress condition phase step
workflow process | automation pipeline transition state
stage phase step | status pipeline state
transition | move change status workflow
progress | status percent completion how_far
owner assignee responsible in_charge | assigned lead agent
dependency blocker blocked | link block relate
relate related | link associate connected
duplicate | copy same repeated double
worklog timesheet time_entry time_tracking | log time hours spent timer work
timer stopwatch | time track
hour hours | time worklog
team group squad | department members
workspace organisation | team company account tenant
department | team group
~ user member person account people | profile who
~ colleague coworker co_worker teammate workmate | member user person team staff
~ someone somebody anyone anybody everyone everybody person people human | user
~ boss manager friend family guy folk mate buddy | person
~ engineer developer programmer designer admin administrator operator technician | user member owner
profile bio about_me | user account details information
contact | person address_book customer people phone lead details
address_book rolodex | contact
employee staff worker | people member team hire person hr
candidate applicant | hire recruiting job application interview
hire recruit hiring recruiting | candidate employee job
job position vacancy | opening role candidate work
interview | candidate meeting
salary wage payroll compensation | pay employee
benefit | employee insurance
performance_review appraisal | feedback review
shift rota roster | schedule on_call duty
department | team
training course lesson | learn class enrol student
student pupil learner | enrol course class
teacher instructor | course class
grade mark | score assignment
quiz exam test | question grade
feedback opinion | comment review rating survey satisfaction csat complaint
satisfaction csat nps happiness | rating score survey feedback happy
language | translate locale
bot assistant chatbot | agent ai
agent | representative user rep
notification | alert message push
announcement | news broadcast
bookmark | link save
link url hyperlink | address share web_address connect
shorten short_link | link url
template | format
"""
