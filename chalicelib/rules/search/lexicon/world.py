"""Time, places, weather, music, travel and the social web."""

from typing import Final

ROWS: Final = """
~ today now current currently present moment right_now present latest | live recent
~ tomorrow upcoming future next later soon tonight | forecast scheduled
~ yesterday past previous ago earlier last former historical | history recent
~ day date time week month year hour minute morning evening afternoon night weekend quarter daily weekly monthly hourly
~ recent latest new newest last
weather forecast climate rain snow | sun wind temperature storm conditions sunny windy cloudy warm
temperature hot cold warm degree | weather heat celsius fahrenheit thermometer conditions current_conditions humidity
humidity | weather temperature moist
rain rainy | weather forecast umbrella precipitation wet shower
wind windy | weather conditions speed storm
storm hurricane flood tornado severe_weather | warning weather alert thunder lightning cyclone
sunrise dawn daybreak | sun morning
sunset dusk | sun evening
uv ultraviolet sunburn sunscreen | sun index
air_quality pollution smog air_pollution | air index clean breathe dirty
earthquake disaster wildfire | warning alert
location place position where | address coordinates map spot geography
coordinates latitude longitude lat_long gps geocode geocoding geolocation | location place map address position
map | location place directions route
direction route navigation | map way travel path
distance | route far travel
traffic | road route
city town country region state area | place location
restaurant food meal dinner lunch | reservation
recipe cook cooking | food
hotel accommodation lodging | reservation travel
flight airline airport plane | travel
travel trip journey itinerary | flight hotel
train bus transit | travel route
car taxi cab ride | travel
parking | car
song track tune | music audio play
music audio sound | song track play playlist playback listen
album record | song artist
artist band musician singer | song music
playlist mixtape | song music queue
player speaker | device play sound
volume loudness loud | sound speaker
podcast episode | show audio
playback | play player pause resume
radio | station music
lyrics | song
video clip footage | watch media youtube
film movie cinema | video
subtitle caption closed_captions | transcript
genre jazz rock pop hip_hop classical | music song playlist artist
channel | video subscribe
stream streaming live | video broadcast
game | play score
sport match | score team
book novel | read author
news headline | article story
tweet status_update social_post | social
social social_media | post follower
follower fan | follow subscriber
following | follow
hashtag trending trend | topic
story reel | social_post
emoji smiley emoticon thumbs_up | reaction icon
gif | image
health fitness workout exercise | activity
sleep | health
steps | activity
medicine drug prescription | pharmacy
doctor patient clinic | health
animal pet | dog cat
"""
