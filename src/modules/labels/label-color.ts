import { blake2s } from '@noble/hashes/blake2.js';

type Rgb = readonly [number, number, number];

const BITS = [7, 6, 5, 4, 3, 2, 1, 0];
const TENTHS = [1, 2, 3, 4, 5, 6, 7, 8, 9];
const COLOR_COUNT = 2 ** 24;

/**
 * The default colour of a label, the same that CVAT gives: names of common data sets have fixed colours, other
 * colours are derived from a digest of the name. If a sibling has that colour, the label gets a tint or a shade of it.
 * @param taken colours of the siblings, lower case
 */
export function colorOf(name: string, taken: Pick<ReadonlySet<string>, 'has'>): string {
  const normalized = name.replace(/[A-Z]/g, (letter) => letter.toLowerCase()).replaceAll('-', '_');
  const entry = KNOWN_ENTRIES.get(normalized) ?? digest(normalized);
  const color = vocColor(entry);
  if (!taken.has(hex(color))) return hex(color);
  for (const target of [255, 0]) {
    for (const tenths of TENTHS) {
      const mixed = hex(mix(color, target, tenths));
      if (!taken.has(mixed) && !KNOWN_COLORS.has(mixed)) return mixed;
    }
  }
  return nextFree(entry, taken);
}

/** Far more siblings of the same colour than CVAT has a rule for: the next entry that is free, if there is one. */
function nextFree(entry: number, taken: Pick<ReadonlySet<string>, 'has'>): string {
  for (let step = 1; step < COLOR_COUNT; step += 1) {
    const color = hex(vocColor((entry + step) % COLOR_COUNT));
    if (!taken.has(color) && !KNOWN_COLORS.has(color)) return color;
  }
  return hex(vocColor(entry));
}

function digest(name: string): number {
  return Buffer.from(blake2s(Buffer.from(name), { dkLen: 3 })).readUIntBE(0, 3);
}

/** Entry `index` of the VOC colour map: its bits dealt out to red, green and blue from the highest bit down. */
function vocColor(index: number): Rgb {
  const channels: [number, number, number] = [0, 0, 0];
  let rest = index;
  for (const bit of BITS) {
    for (const channel of [0, 1, 2] as const) channels[channel] |= ((rest >> channel) & 1) << bit;
    rest >>= 3;
  }
  return channels;
}

function mix([red, green, blue]: Rgb, target: number, tenths: number): Rgb {
  const toward = (channel: number): number => Math.trunc(channel + ((target - channel) * tenths) / 10);
  return [toward(red), toward(green), toward(blue)];
}

function hex(color: Rgb): string {
  return `#${Buffer.from(color).toString('hex')}`;
}

/**
 * Normalized class names of common image data sets. The order is part of the API: the Nth name (from 1) has entry N of the
 * colour map, so that CVAT and Cairn give the same colours.
 */
const KNOWN_LABEL_NAMES: readonly string[] = `
  accordion adhesive_tape aeroplane aircraft airplane alarm_clock alpaca ambulance animal ant antelope apple armadillo
  artichoke asparagus axe baby_bed backpack bagel balance_beam ball balloon banana band_aid banjo banner barge barrel
  baseball baseball_bat baseball_glove basketball bat bathing_cap bathroom_cabinet bathtub beaker bear bed bee beehive
  beer beetle bell_pepper belt bench bg bicycle bicycle_helmet bicycle_wheel bidet billboard billiard_table binder
  binoculars bird blanket blender blue_jay boat book bookcase bookshelf boot bottle bow bow_and_arrow bow_tie bowl box
  boy branch brassiere bread bridge briefcase broccoli bronze_sculpture brown_bear building building_other bull
  burrito bus bush bust butterfly cabbage cabinet cabinetry cage cake cake_stand camel camera can_opener canary candle
  candy cannon canoe car caravan cardboard carnivore carpet carrot cart castle cat caterpillar cattle ceiling_fan
  ceiling_other ceiling_tile cell_phone cello centipede chain_saw chair cheetah chest_of_drawers chicken chime
  chopsticks christmas_tree clock cloth clothes clouds coat cocktail cocktail_shaker coconut coffee coffee_cup
  coffee_maker coffee_table coffeemaker coin common_fig computer_keyboard computer_monitor computer_mouse construction
  convenience_store cookie corded_phone corkscrew couch counter countertop cow cowboy_hat crab cream cricket_ball
  crocodile croissant croquet_ball crosswalk crown crutch cucumber cup cup_or_mug cupboard curtain cutting_board
  cyclist dagger deer desk desk_stuff dessert diaper dice digital_clock dining_table diningtable dinosaur dirt
  dishwasher dog dog_bed doll dolphin domestic_cat dontcare donut door door_handle door_stuff doughnut dragonfly
  drawer dress drink drinking_straw drum duck dumbbell dynamic eagle earrings egg electric_fan elephant envelope
  eye_glasses face_powder falcon fedora fence fence_guard fig filing_cabinet finish fire_hydrant fireplace fish flag
  flashlight floor_marble floor_other floor_stone floor_tile floor_wood flower flower_pot flowerpot flute fog
  food_other food_processor football football_helmet footwear fork fountain fox french_fries french_horn frisbee frog
  fruit frying_pan furniture furniture_other gas_stove giant_panda giraffe girl glasses glove goat goggles goldfish
  golf_ball golf_cart golfcart gondola goose grape grapefruit grass gravel ground ground_other guacamole guitar
  hair_brush hair_drier hair_dryer hair_spray hamburger hammer hamster handbag handgun harbor_seal harmonica harp
  harpsichord hat hat_with_a_wide_brim head_cabbage headphones helicopter helmet high_heels hill hippopotamus
  home_appliance honeycomb horizontal_bar horn horse hot_dog hotdog house houseplant human human_arm human_beard
  human_ear human_eye human_face human_foot human_hair human_hand human_head human_leg human_mouth human_nose
  ice_cream ignore infant_bed insect invertebrate ipod isopod jacket jaguar jeans jellyfish jet_ski jug juice kangaroo
  kettle keyboard kitchen_appliance kitchen_dining_room_table kitchen_knife kite knife koala_bear ladder ladle ladybug
  lamp land_vehicle lantern laptop lavender leaves lemon leopard license_plate lifejacket light light_bulb
  light_switch lighthouse lily limousine lion lipstick lizard lobster loveseat luggage_and_bags lynx maillot man mango
  maple maraca marine_invertebrates marine_mammal mat measuring_cup mechanical_fan metal microphone microwave
  microwave_oven milk_can miniskirt mirror mirror_stuff misc missile mixer mobile_phone monkey moss
  moths_and_butterflies motorbike motorcycle mountain mouse mud muffin mug mule mushroom musical_instrument
  musical_keyboard nail napkin nature neck_brace necklace net nightstand non_vehicle obj object oboe office_building
  office_supplies on_rails orange organ ostrich otter oven owl oyster paddle palm_tree pancake paper paper_towel
  parachute parking parking_meter parrot pasta pavement peach pear pedestrian pen pencil_box pencil_sharpener penguin
  perfume person personal_care piano picnic_basket picture_frame pig pillow pineapple ping_pong_ball pitcher pizza
  plant_other plastic plastic_bag plate plate_rack platform platter playingfield plumbing_fixture polar_bear pole
  pole_group pomegranate popcorn popsicle porch porcupine poster potato potted_plant pottedplant power_drill
  power_plugs_and_sockets pressure_cooker pretzel printer puck pumpkin punching_bag purse rabbit raccoon racket radish
  rail rail_track railing railroad raven ray red_panda refrigerator remote remote_control reptile rhinoceros rider
  rifle ring_binder river road rock rocket roller_skates roof rose rubber_eraser rug rugby_ball ruler salad
  salt_and_pepper_shakers salt_or_pepper_shaker sand sandal sandwich saucer saxophone scarf scissors scoreboard
  scorpion screwdriver sculpture sea sea_lion sea_turtle seafood seahorse seal seat_belt segway serving_tray
  sewing_machine shark sheep shelf shellfish shirt shoe shorts shotgun shower shrimp sidewalk sink skateboard ski
  skirt skis skull skunk sky sky_other skyscraper slow_cooker snail snake snow snowboard snowman snowmobile snowplow
  soap_dispenser soccer_ball sock sofa sofa_bed solid_other sombrero sparrow spatula spider spoon sports_ball
  sports_uniform squash squirrel stairs starfish start static stationary_bicycle stethoscope stone stool stop
  stop_sign stove strainer straw strawberry street_light street_sign stretcher structural_other studio_couch
  submarine_sandwich suit suitcase sun_hat sunflower sunglasses surfboard sushi swan swim_cap swimming_pool
  swimming_trunks swimwear swine sword syringe table table_tennis_racket tablet_computer tableware taco tank tap
  tape_player tart taxi tea teapot teddy_bear telephone television tennis_ball tennis_racket tent terrain
  textile_other tiara tick tie tiger tin_can tire toaster toilet toilet_paper tomato toothbrush torch tortoise towel
  tower toy traffic_light traffic_sign trailer train tram treadmill tree tripod trombone trousers truck trumpet tunnel
  turkey turtle tv tv_or_monitor tvmonitor umbrella undefined unicycle unlabeled vacuum van vase vegetable vegetation
  vehicle vehicle_registration_plate violin void volleyball waffle waffle_iron wall wall_brick wall_clock
  wall_concrete wall_other wall_panel wall_stone wall_tile wall_wood washer washing_machine waste_container watch
  water_bottle water_other watercraft waterdrops watermelon weapon whale wheel wheelchair whiteboard willow window
  window_blind window_other wine wine_bottle wine_glass winter_melon wok woman wood wood_burning_stove woodpecker
  wrench zebra zucchini
`
  .trim()
  .split(/\s+/);

/** Entries of the colour map by known name; the background is black. */
const KNOWN_ENTRIES: ReadonlyMap<string, number> = new Map([
  ['background', 0],
  ...KNOWN_LABEL_NAMES.map((name, index) => [name, index + 1] as const),
]);
const KNOWN_COLORS: ReadonlySet<string> = new Set([...KNOWN_ENTRIES.values()].map((entry) => hex(vocColor(entry))));
