/**
 * The expression of a virtual human as numbers. Every field is a plain number,
 * so two poses blend linearly and a face can move from one to the other.
 * Lengths are in the units of the portrait's 320 x 360 drawing board.
 */
export interface Pose {
  /** Brows: height of the inner end, outer end and middle (negative is up), and how far they are drawn together. */
  browIn: number;
  browOut: number;
  browMid: number;
  browX: number;
  /** Upper lid, 0 closed to 1.25 wide open; lower lid, 0 relaxed to 1 squeezed. */
  lid: number;
  lower: number;
  /** Gaze, to the side and down. */
  gx: number;
  gy: number;
  /** Mouth: curve (positive is a smile), half width, opening; teeth, squareness and lip pressure from 0 to 1. */
  smile: number;
  mw: number;
  open: number;
  teeth: number;
  square: number;
  press: number;
  /** Folds from 0 to 1: raised cheeks, between the brows, forehead, beside the nose. */
  cheek: number;
  glab: number;
  fore: number;
  naso: number;
  /** Head: tilt in degrees and offset; shoulders raised by `sh`. */
  rot: number;
  dx: number;
  dy: number;
  sh: number;
  /** Skin from 0 to 1. */
  sweat: number;
  pallor: number;
  flush: number;
}

export type Emotion = "calm" | "anxious" | "angry" | "pain" | "relieved";
export type Character = "patient" | "passenger" | "cfo";

const NEUTRAL: Pose = {
  browIn: 0,
  browOut: 0,
  browMid: 0,
  browX: 0,
  lid: 1,
  lower: 0,
  gx: 0,
  gy: 0,
  smile: 0,
  mw: 21,
  open: 0,
  teeth: 0,
  square: 0,
  press: 0,
  cheek: 0,
  glab: 0,
  fore: 0,
  naso: 0,
  rot: 0,
  dx: 0,
  dy: 0,
  sh: 0,
  sweat: 0,
  pallor: 0,
  flush: 0,
};

const EXPRESSIONS: Record<Emotion, Partial<Pose>> = {
  calm: { browIn: -1.5, browMid: -0.5, lid: 0.92, lower: 0.18, smile: 2, naso: 0.15 },
  anxious: {
    browIn: -9,
    browOut: 3,
    browMid: -2,
    browX: 1.5,
    lid: 1.2,
    gx: -3.4,
    gy: 0.5,
    smile: -5,
    mw: 16,
    open: 4,
    teeth: 0.6,
    glab: 0.35,
    fore: 1,
    naso: 0.1,
    rot: -2.5,
    dx: -2,
    dy: 2,
    sh: 6,
    sweat: 0.55,
    pallor: 0.45,
  },
  angry: {
    browIn: 10,
    browOut: -4,
    browMid: 2,
    browX: 4,
    lid: 0.72,
    lower: 0.5,
    smile: -7,
    mw: 22,
    open: 11,
    teeth: 1,
    square: 0.75,
    cheek: 0.25,
    glab: 1,
    naso: 0.9,
    rot: 2.5,
    dy: 4,
    sh: 4,
    flush: 1,
  },
  pain: {
    browIn: 7,
    browOut: 3,
    browMid: 5,
    browX: 4.5,
    lid: 0.1,
    lower: 0.95,
    gy: 1,
    smile: -4,
    mw: 25,
    open: 10,
    teeth: 1,
    square: 1,
    cheek: 0.9,
    glab: 0.9,
    fore: 0.35,
    naso: 1,
    rot: 8,
    dx: 5,
    dy: 7,
    sh: 11,
    sweat: 1,
    pallor: 1,
  },
  relieved: {
    browIn: -4,
    browOut: 1,
    browMid: -3,
    lid: 0.74,
    lower: 0.5,
    gy: 0.6,
    smile: 8,
    mw: 25,
    open: 3.2,
    teeth: 1,
    cheek: 0.8,
    fore: 0.12,
    naso: 0.5,
    rot: -4,
    dx: -2,
    dy: 1,
    sh: -4,
    sweat: 0.15,
    flush: 0.25,
  },
};

/** How a character differs from the common expression: the CFO is sceptical where others shout. */
const TEMPER: Partial<Record<Character, Partial<Record<Emotion, Partial<Pose>>>>> = {
  cfo: {
    angry: {
      browIn: 6,
      browOut: -9,
      browX: 2,
      open: 0,
      teeth: 0,
      square: 0.2,
      smile: -5,
      mw: 19,
      flush: 0.25,
      press: 1,
      lid: 0.7,
      rot: -3,
      naso: 0.5,
      sh: 0,
      glab: 0.7,
      gx: 0,
    },
    anxious: {
      browIn: -5,
      lid: 1.02,
      open: 0,
      smile: -3.5,
      mw: 18,
      sweat: 0,
      pallor: 0,
      gx: 3,
      gy: 1.6,
      rot: 2,
      sh: 2,
      press: 0.6,
      fore: 0.7,
    },
    pain: { sweat: 0.2, pallor: 0.2 },
    relieved: { sweat: 0 },
  },
};

interface Stretch {
  emotion: Emotion;
  from: number;
  to: number;
}

/** Where each emotion holds on the way from the worst (0) to the best (1); between two stretches the face blends. */
const ROADS: Record<Character, Stretch[]> = {
  patient: [
    { emotion: "pain", from: 0, to: 0.12 },
    { emotion: "anxious", from: 0.32, to: 0.42 },
    { emotion: "calm", from: 0.64, to: 0.74 },
    { emotion: "relieved", from: 0.94, to: 1 },
  ],
  passenger: [
    { emotion: "angry", from: 0, to: 0.14 },
    { emotion: "anxious", from: 0.36, to: 0.44 },
    { emotion: "calm", from: 0.66, to: 0.76 },
    { emotion: "relieved", from: 0.94, to: 1 },
  ],
  cfo: [
    { emotion: "angry", from: 0, to: 0.14 },
    { emotion: "anxious", from: 0.36, to: 0.44 },
    { emotion: "calm", from: 0.66, to: 0.76 },
    { emotion: "relieved", from: 0.94, to: 1 },
  ],
};

export function poseOf(character: Character, emotion: Emotion): Pose {
  return { ...NEUTRAL, ...EXPRESSIONS[emotion], ...TEMPER[character]?.[emotion] };
}

/** The pose a part `t` of the way from `a` to `b`. */
export function blend(a: Pose, b: Pose, t: number): Pose {
  const mixed = { ...a };
  for (const field of Object.keys(a) as (keyof Pose)[]) {
    mixed[field] = a[field] + (b[field] - a[field]) * t;
  }
  return mixed;
}

/** The pose for a mood from 0 (worst) to 1 (best) on the character's own road. */
export function poseAt(character: Character, mood: number): Pose {
  const road = ROADS[character];
  const x = Math.max(0, Math.min(1, mood));
  const at = road.findIndex((stretch) => x <= stretch.to);
  const here = road[at] as Stretch;
  const before = road[at - 1];
  if (x >= here.from || before === undefined) {
    return poseOf(character, here.emotion);
  }
  const t = (x - before.to) / (here.from - before.to);
  const eased = t * t * (3 - 2 * t);
  return blend(poseOf(character, before.emotion), poseOf(character, here.emotion), eased);
}

/**
 * The pose for a named emotion, shaded by the mood. The face never leaves the
 * part of the road where it reads as that emotion, so that the word beside the
 * portrait and the portrait agree. An emotion off the road is shown as it is.
 */
export function poseFor(character: Character, emotion: Emotion, mood: number): Pose {
  const road = ROADS[character];
  const at = road.findIndex((stretch) => stretch.emotion === emotion);
  const here = road[at];
  if (here === undefined) {
    return poseOf(character, emotion);
  }
  const lower = at === 0 ? 0 : ((road[at - 1] as Stretch).to + here.from) / 2;
  const upper = at === road.length - 1 ? 1 : (here.to + (road[at + 1] as Stretch).from) / 2;
  return poseAt(character, Math.max(lower, Math.min(upper, mood)));
}

/** Share of the remaining way that a face moves in one frame. */
const APPROACH = 0.16;
const ARRIVED = 0.01;

/** One frame of movement towards `target`; returns `target` itself once nothing visible is left to move. */
export function approach(current: Pose, target: Pose): Pose {
  const far = (Object.keys(target) as (keyof Pose)[]).some(
    (field) => Math.abs(target[field] - current[field]) > ARRIVED,
  );
  return far ? blend(current, target, APPROACH) : target;
}
