import type { Character } from "./pose";

/** The chart paper a character sits on. */
export type Paper = "rose" | "sky" | "ledger";

/** The colours and the build of one face. */
export interface Face {
  paper: Paper;
  skin: string;
  shade: string;
  deep: string;
  lip: string;
  lipLow: string;
  hair: string;
  hairLight: string;
  brow: string;
  iris: string;
  blush: string;
  /** The two planes of the clothes. */
  cloth: readonly [light: string, dark: string];
  /** Thickness of the brows and of the lips. */
  browHeight: number;
  lipUp: number;
  lipDown: number;
  /** Units added to the width of the jaw. */
  jaw: number;
  /** Lines of age and bags under the eyes, 0 to 1. */
  age: number;
  bags: number;
  lashes: boolean;
}

const BLUSH = "#C2331B";

export const CAST: Record<Character, Face> = {
  patient: {
    paper: "rose",
    skin: "#DBA583",
    shade: "#BD8060",
    deep: "#6E3B2B",
    lip: "#B4644F",
    lipLow: "#C67B63",
    hair: "#5C5558",
    hairLight: "#C3BCB6",
    brow: "#4A3F3E",
    iris: "#4B2E22",
    blush: BLUSH,
    cloth: ["#C9DDDA", "#A9C4C1"],
    browHeight: 5.2,
    lipUp: 5,
    lipDown: 6,
    jaw: 0,
    age: 1,
    bags: 0.25,
    lashes: true,
  },
  passenger: {
    paper: "sky",
    skin: "#EDBE9F",
    shade: "#CD9573",
    deep: "#7A4632",
    lip: "#BE7A63",
    lipLow: "#CF8F76",
    hair: "#5B3826",
    hairLight: "#8A5A3C",
    brow: "#4F2F20",
    iris: "#3F5B63",
    blush: BLUSH,
    cloth: ["#2B4257", "#1E3042"],
    browHeight: 7,
    lipUp: 3.6,
    lipDown: 5,
    jaw: 5,
    age: 0.3,
    bags: 0.05,
    lashes: false,
  },
  cfo: {
    paper: "ledger",
    skin: "#8A573D",
    shade: "#673C29",
    deep: "#2C1710",
    lip: "#6B2F2A",
    lipLow: "#8E4A41",
    hair: "#1F1A1B",
    hairLight: "#5E5654",
    brow: "#1C1413",
    iris: "#2A1610",
    blush: "#A32A1E",
    cloth: ["#1F2F33", "#152226"],
    browHeight: 5.6,
    lipUp: 7,
    lipDown: 8.5,
    jaw: -2,
    age: 0.45,
    bags: 0.1,
    lashes: true,
  },
};

/** The colour a part `t` of the way from `a` to `b`; both as #rrggbb. */
function mix(a: string, b: string, t: number): string {
  const channels = (colour: string) => [1, 3, 5].map((i) => Number.parseInt(colour.slice(i, i + 2), 16));
  const to = channels(b);
  const mixed = channels(a).map((from, i) => Math.round(from + ((to[i] as number) - from) * t));
  return `#${mixed.map((channel) => channel.toString(16).padStart(2, "0")).join("")}`;
}

/** The face with the blood gone out of it; `pallor` from 0 to 1. */
export function pale(face: Face, pallor: number): Face {
  return {
    ...face,
    skin: mix(face.skin, "#E3D3C4", pallor * 0.42),
    shade: mix(face.shade, "#B6A294", pallor * 0.42),
    lip: mix(face.lip, "#B79A92", pallor * 0.55),
    lipLow: mix(face.lipLow, "#C4A69B", pallor * 0.5),
  };
}
