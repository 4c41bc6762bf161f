import { Box, Text } from "ink";
import { expect, onTestFinished, test } from "vitest";
import { createInkRenderer } from "#ui/views/painter";

function open(hasColor = true) {
  const drawer = createInkRenderer({ columns: 20, rows: 10 }, hasColor);
  onTestFinished(drawer.end);
  return drawer;
}

test("an element is laid out as lines, repeatedly, without empty ones at the end", () => {
  const { draw } = open();
  const card = (text: string) => (
    <Box flexDirection="column">
      <Box borderStyle="single">
        <Text>{text}</Text>
      </Box>
      <Text> </Text>
    </Box>
  );
  expect(draw(card("one"))).toEqual(["┌──────────────────┐", "│one               │", "└──────────────────┘"]);
  expect(draw(card("two"))).toEqual(["┌──────────────────┐", "│two               │", "└──────────────────┘"]);
  expect(draw(<Text>{""}</Text>)).toEqual([]);
  expect(draw(<Text>three</Text>)).toEqual(["three"]);
});

test("after a change of width it is laid out again", () => {
  const { draw, resize } = open();
  const box = (
    <Box borderStyle="single">
      <Text>a word</Text>
    </Box>
  );
  draw(box);
  resize(10);
  expect(draw(box)).toEqual(["┌────────┐", "│a word  │", "└────────┘"]);
});

test("styles appear only if wanted", () => {
  const text = <Text>{"\x1b[1m\x1b[31mx\x1b[39m\x1b[22m y"}</Text>;
  expect([open(true).draw(text), open(false).draw(text)]).toEqual([["\x1b[1m\x1b[31mx\x1b[39m\x1b[22m y"], ["x y"]]);
});

test("it listens to no stream of the process, and to signals only while it draws", () => {
  const signals = () => (["SIGINT", "SIGTERM", "SIGHUP"] as const).map((name) => process.listenerCount(name));
  const countListeners = () => [
    process.listenerCount("beforeExit"),
    process.listenerCount("uncaughtException"),
    process.stdin.listenerCount("readable"),
    process.stdout.listenerCount("resize"),
  ];
  const [signalsBefore, othersBefore] = [signals(), countListeners()];
  const { draw, end } = createInkRenderer({ columns: 20, rows: 10 }, true);
  for (let frame = 0; frame < 20; frame += 1) draw(<Text>{frame}</Text>);
  expect(countListeners()).toEqual(othersBefore);
  end();
  expect([signals(), countListeners()]).toEqual([signalsBefore, othersBefore]);
});
