import { type JSX, memo } from "react";
import { CAST, type Face } from "./cast";
import type { Character } from "./pose";

/**
 * What does not move with the face: the set behind a character, the clothes
 * and the hair. Each part is drawn once per portrait.
 */
interface Wardrobe {
  Backdrop: () => JSX.Element;
  HairBehind: (props: { face: Face }) => JSX.Element;
  Clothes: (props: { id: string }) => JSX.Element;
  /** Over the skin and under the features. */
  Beard?: (props: { face: Face }) => JSX.Element;
  HairInFront: (props: { face: Face }) => JSX.Element;
  Glasses?: () => JSX.Element;
}

const n = (value: number) => Math.round(value * 10) / 10;

/** Parallel lines drawn as one path: hair, knit, blinds and curtains share this hand. */
const hatch = (from: number, to: number, line: (i: number) => string) =>
  Array.from({ length: to - from }, (_, i) => line(from + i)).join("");

const GOWN =
  "M-6 366C2 322 40 306 88 296C104 292 114 288 119 282C134 322 186 322 201 282C206 288 216 292 232 296C280 306 318 322 326 366Z";

const patient: Wardrobe = {
  Backdrop: () => (
    <>
      <path
        d={hatch(0, 17, (i) => `M${-6 + i * 21} -4C${-2 + i * 21} 120 ${-12 + i * 21} 240 ${-4 + i * 21} 366`)}
        fill="none"
        stroke="var(--vh-line)"
        strokeWidth={1.5}
      />
      <path d="M28 366C22 296 34 250 66 236C96 224 224 224 254 236C286 250 298 296 292 366Z" fill="var(--vh-cushion)" />
      <path
        d="M44 300C48 268 60 252 78 246M276 300C272 268 260 252 242 246"
        fill="none"
        stroke="var(--vh-line)"
        strokeWidth={2}
        strokeLinecap="round"
      />
    </>
  ),
  HairBehind: ({ face }) => (
    <path
      d="M160 42C100 42 78 88 80 140C74 170 70 206 84 232C94 250 112 258 128 256L192 256C208 258 226 250 236 232C250 206 246 170 240 140C242 88 220 42 160 42Z"
      fill={face.hair}
    />
  ),
  Clothes: ({ id }) => (
    <>
      <path d={GOWN} fill="#C9DDDA" />
      <path d="M210 366C206 330 206 306 201 282C206 288 216 292 232 296C280 306 318 322 326 366Z" fill="#A9C4C1" />
      <clipPath id={`${id}c`}>
        <path d={GOWN} />
      </clipPath>
      <path
        clipPath={`url(#${id}c)`}
        fill="#5F8B89"
        opacity={0.75}
        d={hatch(0, 60, (i) => {
          const row = Math.floor(i / 12);
          return `M${(i % 12) * 28 + (row % 2) * 14 - 4} ${292 + row * 17}a4.4 4.4 0 0 1 8.8 0z`;
        })}
      />
      <path d="M112 286C130 334 190 334 208 286" fill="none" stroke="#4E7775" strokeWidth={5} strokeLinecap="round" />
      <g stroke="#26474B" strokeWidth={2.2}>
        <path d="M122 366C120 346 122 330 128 322M196 366C200 344 214 332 232 330" fill="none" strokeWidth={2.4} />
        <circle cx={129} cy={319} r={9} fill="#F6F1EA" />
        <circle cx={129} cy={319} r={3.2} fill="#E2471D" stroke="none" />
        <circle cx={236} cy={329} r={9} fill="#F6F1EA" />
        <circle cx={236} cy={329} r={3.2} fill="#26474B" stroke="none" />
      </g>
    </>
  ),
  HairInFront: ({ face }) => (
    <>
      <path
        d="M160 44C104 42 82 84 86 150C92 144 94 136 97 128C100 110 116 98 138 88C152 82 160 78 168 72C176 84 196 92 208 102C218 110 222 124 223 132C226 140 228 146 234 150C238 84 216 44 160 44Z"
        fill={face.hair}
      />
      <g fill="none" stroke={face.hairLight} strokeWidth={2} strokeLinecap="round">
        <g opacity={0.8}>
          {[0, 1, 2, 3, 4].map((i) => (
            <path
              key={i}
              d={`M${n(166 + i * 1.2)} ${n(70 - i * 2.6)}C${140 - i * 5} ${n(72 - i * 2.2)} ${n(106 - i * 2.4)} ${88 - i * 3} ${n(94 - i * 1.3)} ${128 - i * 4}`}
            />
          ))}
        </g>
        <g opacity={0.55}>
          {[0, 1, 2, 3, 4].map((i) => (
            <path
              key={i}
              d={`M${172 + i * 2} ${n(70 - i * 2.6)}C${192 + i * 3} ${76 - i * 2} ${n(214 + i * 2.4)} ${94 - i * 3} ${n(226 + i * 1.4)} ${130 - i * 4}`}
            />
          ))}
        </g>
      </g>
      <path
        d="M100 122C94 140 93 160 97 178M104 116C98 132 99 146 98 154"
        fill="none"
        stroke={face.hair}
        strokeWidth={2.4}
        strokeLinecap="round"
      />
    </>
  ),
};

const SWEATER =
  "M-2 366C6 324 44 308 92 296C104 293 112 289 117 283C132 320 188 320 203 283C208 289 216 293 228 296C276 308 314 324 322 366Z";

const passenger: Wardrobe = {
  Backdrop: () => (
    <>
      <rect x={-10} y={20} width={84} height={150} rx={42} fill="var(--vh-window)" />
      <rect x={-10} y={20} width={84} height={150} rx={42} fill="none" stroke="var(--vh-line)" strokeWidth={4} />
      <path
        d={hatch(0, 4, (i) => `M-10 ${118 + i * 9}H${74 - i * 2}`)}
        fill="none"
        stroke="var(--vh-line)"
        strokeWidth={1.6}
      />
      <path d="M52 366V92C52 52 72 34 104 34H216C248 34 268 52 268 92V366Z" fill="var(--vh-cushion)" />
      <path
        d="M72 366V98C72 68 86 54 110 54H210C234 54 248 68 248 98V366"
        fill="none"
        stroke="var(--vh-line)"
        strokeWidth={2}
      />
      <path d="M104 34H216C248 34 268 52 268 92V122H52V92C52 52 72 34 104 34Z" fill="var(--vh-antimac)" />
      <path d={hatch(0, 17, (i) => `M${66 + i * 12} 122v-6`)} fill="none" stroke="var(--vh-line)" strokeWidth={2} />
    </>
  ),
  HairBehind: ({ face }) => (
    <path
      d="M160 46C112 46 88 78 88 118C87 136 90 148 94 158L226 158C230 148 233 136 232 118C232 78 208 46 160 46Z"
      fill={face.hair}
    />
  ),
  Clothes: ({ id }) => (
    <>
      <path d={SWEATER} fill="#2B4257" />
      <path d="M214 366C212 334 208 304 203 283C208 289 216 293 228 296C276 308 314 324 322 366Z" fill="#1E3042" />
      <clipPath id={`${id}c`}>
        <path d={SWEATER} />
      </clipPath>
      <path
        clipPath={`url(#${id}c)`}
        fill="none"
        stroke="#5C7C98"
        strokeWidth={2}
        opacity={0.8}
        d={hatch(
          0,
          7,
          (i) =>
            `M-10 ${312 + i * 10}C70 ${292 + i * 11} 120 ${314 + i * 11} 160 ${316 + i * 11}C200 ${314 + i * 11} 250 ${292 + i * 11} 330 ${312 + i * 11}`,
        )}
      />
      <path
        d="M110 286C128 332 192 332 210 286C204 280 202 276 201 272C186 312 134 312 119 272C118 276 116 280 110 286Z"
        fill="#3B5771"
      />
      <path d="M118 290C134 324 186 324 202 290" fill="none" stroke="#1E3042" strokeWidth={2} />
    </>
  ),
  Beard: ({ face }) => (
    <>
      <path
        d="M94 176C98 206 104 216 116 234C134 250 146 262 160 262C174 262 186 250 204 234C216 216 222 206 226 176C222 190 214 200 200 204C190 206 182 210 176 214C168 211 164 212 160 214C156 212 152 211 144 214C138 210 130 206 120 204C106 200 98 190 94 176Z"
        fill={face.hair}
        opacity={0.93}
      />
      <path
        d={hatch(
          0,
          14,
          (i) =>
            `M${n(104 + i * 8.6)} ${n(214 + Math.sin((i / 12) * 3.1) * 20)}q${n((i - 6) * -0.2)} 8 ${n((6 - i) * 0.6)} 14`,
        )}
        fill="none"
        stroke={face.hairLight}
        strokeWidth={1.8}
        strokeLinecap="round"
        opacity={0.75}
      />
    </>
  ),
  HairInFront: ({ face }) => (
    <>
      <path
        d="M93 154C86 128 85 102 97 80C111 52 142 40 170 43C208 46 234 76 233 114C233 130 230 144 227 154C225 142 222 132 219 124C218 112 213 102 204 95C188 101 150 102 126 91C114 98 104 110 101 124C98 132 95 142 93 154Z"
        fill={face.hair}
      />
      <g fill="none" stroke={face.hairLight} strokeWidth={2.2} strokeLinecap="round">
        <path
          opacity={0.8}
          d={hatch(
            0,
            6,
            (i) =>
              `M${186 - i * 15} ${n(84 - i * 0.5 + Math.abs(i - 2) * 1.6)}C${182 - i * 13} ${70 - i} ${176 - i * 10} 60 ${170 - i * 7} ${n(52 + i * 0.6)}`,
          )}
        />
        <path
          opacity={0.55}
          d={hatch(
            0,
            4,
            (i) =>
              `M${199 + i * 6} ${90 + i * 6}C${199 + i * 6} ${78 + i * 5} ${194 + i * 6} ${68 + i * 5} ${186 + i * 6} ${58 + i * 4}`,
          )}
        />
      </g>
    </>
  ),
};

const cfo: Wardrobe = {
  Backdrop: () => (
    <>
      <path d={hatch(0, 16, (i) => `M-6 ${14 + i * 24}H330`)} fill="none" stroke="var(--vh-line)" strokeWidth={1.5} />
      <rect x={218} y={-6} width={120} height={214} fill="var(--vh-window)" />
      <path
        d="M218 208V120h22v88zM246 208V84h26v124zM278 208v-64h18v64zM302 208V104h30v104z"
        fill="var(--vh-cushion)"
      />
      <path d="M218 -6V208H340" fill="none" stroke="var(--vh-line)" strokeWidth={3} />
    </>
  ),
  HairBehind: ({ face }) => (
    <>
      <path
        d="M160 18C134 18 122 30 124 48C98 60 84 92 88 128C88 142 92 152 96 158L224 158C228 152 232 142 232 128C236 92 222 60 196 48C198 30 186 18 160 18Z"
        fill={face.hair}
      />
      <path
        d={hatch(0, 8, (i) => {
          const arch = Math.sin((i / 7) * 3.14);
          return `M${130 + i * 8} ${n(44 - arch * 4)}C${132 + i * 7} ${n(32 - arch * 8)} ${140 + i * 5} 26 ${n(146 + i * 3.4)} 24`;
        })}
        fill="none"
        stroke={face.hairLight}
        strokeWidth={1.8}
        strokeLinecap="round"
        opacity={0.9}
      />
    </>
  ),
  Clothes: () => (
    <>
      <path d="M160 366L112 288C130 318 190 318 208 288Z" fill="#EFEDE4" />
      <path d="M116 284L160 348L204 284L214 296L178 366H142L106 296Z" fill="#F4F2EA" />
      <path d="M160 340L204 284L214 296L178 366H160Z" fill="#D3D6CC" />
      <path d="M-4 366C4 326 44 308 92 295C102 292 110 288 114 284L120 296L150 366Z" fill="#1F2F33" />
      <path d="M324 366C316 326 276 308 228 295C218 292 210 288 206 284L200 296L170 366Z" fill="#152226" />
      <path d="M114 284C106 292 100 296 96 300L88 326L108 328L104 340L146 366H150L120 296Z" fill="#2C4145" />
      <path d="M206 284C214 292 220 296 224 300L232 326L212 328L216 340L174 366H170L200 296Z" fill="#22343A" />
      <path
        d={hatch(
          0,
          7,
          (i) =>
            `M${14 + i * 12} 366C${20 + i * 11} 344 ${26 + i * 11} 326 ${34 + i * 9} ${n(316 - i * 2.4)}M${306 - i * 12} 366C${300 - i * 11} 344 ${294 - i * 11} 326 ${286 - i * 9} ${n(316 - i * 2.4)}`,
        )}
        fill="none"
        stroke="#4F6A6C"
        strokeWidth={1.3}
        opacity={0.8}
      />
      <circle cx={94} cy={318} r={5} fill="#E2471D" />
    </>
  ),
  HairInFront: ({ face }) => (
    <>
      <path
        d="M94 150C86 112 96 72 130 58C150 50 172 50 190 58C224 72 234 112 226 150C223 128 218 108 206 96C190 82 176 78 160 78C144 78 130 82 114 96C102 108 97 128 94 150Z"
        fill={face.hair}
      />
      <path
        d={hatch(0, 10, (i) => {
          const t = (i - 4.5) / 4.5;
          const out = Math.abs(t);
          return `M${n(160 + t * 58)} ${n(84 + out ** 2.2 * 34)}C${n(160 + t * 52)} ${n(70 + out ** 2 * 18)} ${n(160 + t * 38)} ${n(60 + out * 6)} ${n(160 + t * 27)} ${n(51 + out * 3)}`;
        })}
        fill="none"
        stroke={face.hairLight}
        strokeWidth={2}
        strokeLinecap="round"
        opacity={0.85}
      />
    </>
  ),
  Glasses: () => (
    <>
      <g fill="none" stroke="#1B1512" strokeWidth={3}>
        <path
          d="M112 152C112 146 118 143 131 143C145 143 150 147 150 154C150 168 143 177 131 177C119 177 112 168 112 152Z"
          fill="#fff"
          fillOpacity={0.07}
        />
        <path
          d="M170 154C170 147 175 143 189 143C202 143 208 146 208 152C208 168 201 177 189 177C177 177 170 168 170 154Z"
          fill="#fff"
          fillOpacity={0.07}
        />
        <path d="M150 153Q160 148 170 153M112 151L94 148M208 151L226 148" />
      </g>
      <path
        d="M118 166L128 149M124 168L132 154"
        stroke="#fff"
        strokeOpacity={0.28}
        strokeWidth={2.4}
        strokeLinecap="round"
      />
      <circle cx={87} cy={196} r={4.6} fill="#E9C46A" />
      <circle cx={233} cy={196} r={4.6} fill="#C79F45" />
    </>
  ),
};

const WARDROBES: Record<Character, Wardrobe> = { patient, passenger, cfo };

// Memoised on the character alone: while the face moves, none of this is drawn again.
export const Backdrop = memo(function Backdrop({ character }: { character: Character }) {
  const { Backdrop: Scenery } = WARDROBES[character];
  return <Scenery />;
});

export const HairBehind = memo(function HairBehind({ character }: { character: Character }) {
  const { HairBehind: Hair } = WARDROBES[character];
  return <Hair face={CAST[character]} />;
});

export const Clothes = memo(function Clothes({ character, id }: { character: Character; id: string }) {
  const { Clothes: Garment } = WARDROBES[character];
  const [light, dark] = CAST[character].cloth;
  return (
    <>
      <path d="M-6 364H160V420H-6Z" fill={light} />
      <path d="M160 364H326V420H160Z" fill={dark} />
      <Garment id={id} />
    </>
  );
});

export const Beard = memo(function Beard({ character }: { character: Character }) {
  const { Beard: Hair } = WARDROBES[character];
  return Hair ? <Hair face={CAST[character]} /> : null;
});

export const HairInFront = memo(function HairInFront({ character }: { character: Character }) {
  const { HairInFront: Hair } = WARDROBES[character];
  return <Hair face={CAST[character]} />;
});

export const Glasses = memo(function Glasses({ character }: { character: Character }) {
  const { Glasses: Pair } = WARDROBES[character];
  return Pair ? <Pair /> : null;
});
