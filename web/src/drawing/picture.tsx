import { createContext, useContext } from "react";
import { Portrait } from "./portrait";
import { type Character, type Emotion, poseFor } from "./pose";

/** A portrait that stands still, as the name of a file that the build makes. */
interface Still {
  character: Character;
  emotion: Emotion;
  /** 0 worst to 1 best. */
  mood: number;
}

/** Where the build has put a picture. */
export type Shelf = (still: Still) => string;

/** Set by the build; without it pictures have a name and no file. */
export const PictureShelf = createContext<Shelf>((still) => `/assets/${stillName(still)}.svg`);

export const stillName = ({ character, emotion, mood }: Still) => `${character}-${emotion}-${Math.round(mood * 100)}`;

/** The portrait that belongs into the file. */
export function StillPortrait(still: Still) {
  const { character, emotion, mood } = still;
  return <Portrait character={character} pose={poseFor(character, emotion, mood)} id="p" />;
}

interface PictureProps extends Still {
  /** What it shows; empty for decoration. */
  alt: string;
  /** Not in the first view: loaded when it comes near. */
  lazy?: boolean;
}

/** A portrait that never moves: a file of its own, so that pages stay small and share it. */
export function Picture({ alt, lazy = true, ...still }: PictureProps) {
  const shelf = useContext(PictureShelf);
  return (
    <img
      className="picture"
      src={shelf(still)}
      alt={alt}
      width={280}
      height={315}
      loading={lazy ? "lazy" : undefined}
      decoding="async"
    />
  );
}
