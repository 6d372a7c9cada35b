import { CAST, pale } from "./cast";
import { Brow, Cheeks, Eye, Folds, Head, Neck, Nose, Sweat } from "./face";
import { Mouth } from "./mouth";
import type { Character, Pose } from "./pose";
import { Backdrop, Beard, Clothes, Glasses, HairBehind, HairInFront } from "./sets";

interface PortraitProps {
  character: Character;
  pose: Pose;
  /** Unique on the page, of letters, digits and dashes: clip paths and gradients are named after it. */
  id: string;
  /** What the picture shows, for those who do not see it. Without it the picture is decoration. */
  title?: string;
}

/** A virtual human, cut out of paper: 8 to 9, drawn from numbers alone. All characters are fictional. */
export function Portrait({ character, pose, id, title }: PortraitProps) {
  const face = pale(CAST[character], pose.pallor);
  const head = `translate(${round(pose.dx)} ${round(pose.dy)}) rotate(${round(pose.rot)} 160 262)`;
  return (
    <svg
      className={`vh vh-${face.paper}`}
      viewBox="20 12 280 315"
      preserveAspectRatio="xMidYMid slice"
      focusable="false"
      role={title === undefined ? undefined : "img"}
      aria-label={title}
      aria-hidden={title === undefined}
    >
      <rect width={320} height={360} fill="var(--vh-paper)" />
      <Backdrop character={character} />
      <g className="vh-breathe">
        <g transform={head}>
          <HairBehind character={character} />
        </g>
        <g transform={`translate(0 ${round(-6 - pose.sh * 0.5)})`}>
          <Neck pose={pose} face={face} id={id} />
        </g>
        <g transform={`translate(0 ${round(-13 - pose.sh)})`}>
          <Clothes character={character} id={id} />
        </g>
        <g transform={head}>
          <Head face={face} />
          <Cheeks pose={pose} face={face} id={id} />
          <Beard character={character} />
          <Folds pose={pose} face={face} />
          <Nose pose={pose} face={face} />
          <Mouth pose={pose} face={face} id={id} />
          <Eye pose={pose} face={face} side={-1} id={id} />
          <Eye pose={pose} face={face} side={1} id={id} />
          <HairInFront character={character} />
          <Brow pose={pose} face={face} side={-1} />
          <Brow pose={pose} face={face} side={1} />
          <Glasses character={character} />
          <Sweat pose={pose} />
        </g>
      </g>
    </svg>
  );
}

const round = (value: number) => Math.round(value * 10) / 10;
