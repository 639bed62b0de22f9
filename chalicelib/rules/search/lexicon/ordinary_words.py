"""Everyday words that are spelt right, whether or not any tool knows them: never read as a slip for another."""

from typing import Final

ROWS: Final = """
water plant plants tree garden flower grass house home door window wall roof floor kitchen bath bed sofa chair desk
lamp food bread milk coffee tea beer wine juice pizza pasta soup cake fruit apple banana egg fish meat rice sugar salt
butter cook bake boil fry eat drink sleep dream walk swim jump climb drive fly sail paint draw sing dance laugh cry
smile knit sew iron wash dry clean sweep dust shave comb brush dog cat cats horse cow pig sheep bird mouse snake lion
tiger bear wolf fox red blue green yellow black white brown pink grey dark bright light heavy warm cold cool wet tall
short wide deep head hand foot feet arm leg eye ear nose mouth teeth hair skin heart blood bone brain back knee sun
moon star sky rain snow wind cloud sea river lake hill mountain beach island forest desert car bike boat ship plane
train bus truck taxi road street bridge wheel tyre engine fuel king queen prince knight soldier army war peace god
church temple priest mother father parent sister brother son daughter wife husband baby child uncle aunt cousin school
class lesson math maths algebra equation physics chemistry biology poem poetry novel essay grammar dice chess poker
card cards puzzle toy ball golf tennis football soccer gold silver copper coal stone sand glass paper wood metal
plastic cotton wool leather shirt shoe shoes sock hat coat dress pants skirt ring watch pan pot cup mug plate bowl
knife fork spoon bottle box bag basket song drum guitar piano violin flute visa passport luggage hotel hostel resort
cruise print printer fax lawn mow rope ladder hammer nail screw drill saw joke riddle horoscope fortune tarot lottery
bet casino mine dig hunt trap cage fight shoot kill prime fibonacci sudoku maze neural robot drone laser rocket planet
cheap rich poor clever lazy angry happy sad tired hungry trained teach taught learn thought hope love hate fear mud
fog ice fire smoke steam ash world earth country nation law lawyer judge court police crime jail prison tax taxes vote
mayor president clock hour speech voice word story tale myth legend ghost magic wizard dragon monster hero rome paris
london berlin madrid tokyo boston texas spain france italy china japan india russia africa europe america hello
goodbye welcome sorry birthday wedding party holiday gift present shop market mall cinema theatre museum zoo farm
factory hospital north south east west left right front rear top bottom middle corner edge fast slow early late long
loud quiet soft hard rough smooth sharp flat round square begin became bring build carry catch cover cross enter float
grow guess hang hurt join keep kick knock lead lend lift lose marry miss offer pick pour pray pull push quit reach
rent ride rise roll rub rush seek shake shine shout sink sit slide slip smell spell spend spin spit split spread stand
steal stick stir strike swing taste tear throw touch trick twist visit wait wake wave wear weigh whisper win wish
wonder worry wrap yell body face finger thumb chest throat stomach muscle nerve bell belt blade blanket board brick
candle cable carpet chain chart cheese circle cloth coach coast couch crane crown curve debt dirt ditch eagle elbow
fence flame fleet flock flood frame giant glove grain grape guest habit honey hook index jacket jelly kettle label
lemon linen loaf lunch marble mask match meal mercy meter motor needle nest noise nurse oak ocean onion orange oven
owl panel parade paste patch path pearl pepper petal pillow pilot pipe pistol plough pocket pond porch powder parse
phase phrase prose purse quilt rail ramp razor rhyme ribbon rifle robe rose rust saddle sauce scarf scene scent seal
shade shelf shell shore sick silk skull soap soil spark spear spice spine sport squad stair stamp steel stool storm
straw stream stripe suit swamp sword syrup tail tent thread throne tide tile toast tongue tooth torch towel tower
trail tray tribe trout trunk tube tunnel turtle valley vault veil vine virus wagon waist whale wheat whip widow worm
wound wrist yarn yard zebra gum pill dentist surgery cancer fever cough flu diet yoga gym dna
gas gpu mom mum nft van sat odd oil ice fur hen kid pan pot rug tan toy tub zoo
"""
