import { Pause, Play } from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";
import { Bust } from "../drawing/bust";
import { Portrait } from "../drawing/portrait";
import { approach, type Character, type Emotion, type Pose, poseFor } from "../drawing/pose";

interface LivingPortraitProps {
  character: Character | "";
  emotion: Emotion;
  mood: number;
  /** Who is shown, and how they feel. */
  title: string;
  id: string;
}

/** The face of the virtual human: breathes, blinks, and moves to every new state. Can be kept still. */
export function LivingPortrait({ character, emotion, mood, title, id }: LivingPortraitProps) {
  const [still, setStill] = useState(false);
  if (character === "") {
    return <Bust title={title} />;
  }
  return (
    <div className={still ? "portrait" : "portrait vh-live"}>
      <MovingPortrait character={character} emotion={emotion} mood={mood} title={title} id={id} />
      <button
        type="button"
        className="btn btn-icon still"
        aria-pressed={still}
        aria-label="Keep the portrait still"
        onClick={() => setStill(!still)}
      >
        {still ? <Play size={18} strokeWidth={1.75} /> : <Pause size={18} strokeWidth={1.75} />}
      </button>
    </div>
  );
}

type MovingPortraitProps = Omit<LivingPortraitProps, "character"> & { character: Character };

function MovingPortrait({ character, emotion, mood, title, id }: MovingPortraitProps) {
  const target = useMemo(() => poseFor(character, emotion, mood), [character, emotion, mood]);
  const pose = useApproach(target);
  return <Portrait character={character} pose={pose} id={id} title={title} />;
}

/** The pose on its way to `target`, a step a frame; at once for those who want no motion. */
function useApproach(target: Pose): Pose {
  const [pose, setPose] = useState(target);
  const here = useRef(target);
  useEffect(() => {
    const cut = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    let frame = requestAnimationFrame(function step() {
      here.current = cut ? target : approach(here.current, target);
      setPose(here.current);
      if (here.current !== target) {
        frame = requestAnimationFrame(step);
      }
    });
    return () => cancelAnimationFrame(frame);
  }, [target]);
  return pose;
}
