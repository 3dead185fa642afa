// Plots: loaded only when one is shown.

import uPlot from "uplot";

const COLOURS = ["#3b6fd4", "#c2571a", "#2e8b57", "#8a4fbf", "#b8336a", "#6b7a1f", "#1f7a8c", "#7a4f1f"];

/** Draws columns of numbers over their row; returns what takes the plot away. */
export function draw(place: HTMLElement, columns: { name: string; values: (number | null)[] }[]): () => void {
  const rows = columns[0]?.values.map((_, at) => at + 1) ?? [];
  const ink = getComputedStyle(place).color;
  const axis = { stroke: ink, grid: { stroke: "rgba(128,128,128,0.25)" }, ticks: { stroke: "rgba(128,128,128,0.4)" } };
  const plot = new uPlot(
    {
      width: Math.max(place.clientWidth, 240),
      height: 260,
      scales: { x: { time: false } },
      axes: [axis, axis],
      series: [
        { label: "row" },
        ...columns.map((column, at) => ({ label: column.name, stroke: COLOURS[at % COLOURS.length] ?? ink })),
      ],
    },
    [rows, ...columns.map((column) => column.values)],
    place,
  );
  return () => plot.destroy();
}
