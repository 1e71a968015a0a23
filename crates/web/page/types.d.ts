// The messages between server and page, matching src/message.rs and src/from_page.rs. For the type checker only.

/** Text in the default style, or [text, columns, shape, fg, bg, attributes, underline, its colour, link]. */
export type WireRun = string | [string, number, number, number, number, number, number?, number?, string?];

export interface WireFrame {
  version: number;
  cols: number;
  rows: number;
  cursor: [x: number, y: number, visible: boolean, shape: "block" | "underline" | "bar", blinking: boolean];
  whole: boolean;
  alternate: boolean;
  reverse: boolean;
  /** Foreground, background, cursor. */
  colors: [number, number, number];
  title: string;
  name: string;
  id: string;
  mouse: boolean;
  mouse_moves: boolean;
  focus: boolean;
  leads: boolean;
  lines: [row: number, wrapped: boolean, runs: WireRun[]][];
  at?: number;
}

export interface SessionInfo {
  id: string;
  name: string;
  kind: string;
  state: string;
  running: boolean;
  exit_code: number;
  signal: string;
  cols: number;
  rows: number;
  title: string;
  command: string;
  working_dir: string;
  created: number;
}

export interface Place {
  key: string;
  address: string;
  standing: "connecting" | "up" | "away";
  reason: string;
  sessions: SessionInfo[];
}

export interface AboutRecording {
  title: string;
  command: string;
  recorded: number;
  ms: number;
  pauses: [number, number][];
  marks: [number, string][];
  note: string;
}

export type ViewMessage =
  | ({ t: "frame"; view: number } & WireFrame)
  | ({ t: "recording"; view: number } & AboutRecording)
  | { t: "exited"; view: number; code: number; signal: string }
  | { t: "away"; view: number; reason: string }
  | { t: "gone"; view: number; reason: string }
  | { t: "refusal"; view: number; message: string; hint: string }
  | { t: "bell"; view: number };

export type FromServer =
  | ViewMessage
  | { t: "hello"; version: string; read_only: boolean }
  | { t: "coordinators"; order: string[]; changed: Place[] }
  | { t: "answer"; number: number; error?: { message: string; hint: string }; value?: any }
  | { t: "pong" };

export interface ViewHandler {
  /** The message that opens the view, sent again after a reconnect. */
  start(): Record<string, unknown>;
  take(message: ViewMessage): void;
}

/** Sizes in device pixels. */
export interface Metrics {
  /** The font size, in CSS pixels. */
  size: number;
  ratio: number;
  family: string;
  cell: number;
  height: number;
  baseline: number;
  advance: number;
}

export interface Theme {
  name: "dark" | "light";
  foreground: number;
  background: number;
  cursor: number;
  /** xterm's colours in this theme, as text and as background. */
  text: Map<number, number>;
  ground: Map<number, number>;
  /** Minimum contrast of text to the default background. */
  contrast: number;
}

export interface Run {
  text: string;
  cols: number;
  shape: number;
  fg: number;
  bg: number;
  attributes: number;
  underline: number;
  underlineColor: number;
  link: string;
}

export interface Line {
  wrapped: boolean;
  runs: Run[];
}
