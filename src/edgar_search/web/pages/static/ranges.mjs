// Filters a column by a drag over its histogram; two fields do it without.

const LEAST = 4;

for (const chart of document.querySelectorAll("svg[data-edges]")) {
  const edges = chart.dataset.edges.split(" ");
  const bars = [...chart.querySelectorAll("rect:not(.all)")];
  const [least, most] = chart.closest("details").querySelectorAll("input");
  let from = -1, to = -1, x = 0, dragged = false;
  const barAt = ({ clientX }) => {
    const { left, width } = chart.getBoundingClientRect();
    return Math.max(0, Math.min(bars.length - 1, Math.floor(((clientX - left) / width) * bars.length)));
  };
  const mark = () => bars.forEach((bar, at) => bar.classList.toggle("now", dragged && at >= Math.min(from, to) && at <= Math.max(from, to)));

  chart.addEventListener("pointerdown", (event) => {
    [from, to, x, dragged] = [barAt(event), barAt(event), event.clientX, false];
    chart.setPointerCapture(event.pointerId);
  });
  chart.addEventListener("pointermove", (event) => {
    if (from < 0) return;
    to = barAt(event);
    dragged ||= Math.abs(event.clientX - x) > LEAST;
    mark();
  });
  chart.addEventListener("pointerup", () => {
    const [first, last] = [Math.min(from, to), Math.max(from, to)];
    from = -1;
    if (!dragged) return;
    // The outermost bars have no end.
    least.value = edges[first - 1] ?? "";
    most.value = edges[last] ?? "";
    least.form.requestSubmit();
  });
  chart.addEventListener("pointercancel", () => {
    [from, dragged] = [-1, false];
    mark();
  });
  // A drag is no click on the summary around it.
  chart.addEventListener("click", (event) => dragged && event.preventDefault());
}
