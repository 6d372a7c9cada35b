import { BRAND } from "../../content/company";

const ROUTE = [
  { title: "VR module", text: "A ward, a cabin or a boardroom to stand in, with the same virtual human." },
  { title: "Cloud platform", text: "SimCloud holds the modules, assigns them and keeps the learner’s record." },
  {
    title: "Device-connection service",
    text: "SimPulse connects headset, manikin and simulator, and brings back what they feel.",
  },
] as const;

/** How a VR module gets to a learner. */
export function VrModules() {
  return (
    <div className="wrap vr">
      <h3>VR modules</h3>
      <p className="lead">{BRAND} VR modules are offered through a cloud platform and a device-connection service.</p>
      <ol>
        {ROUTE.map(({ title, text }) => (
          <li key={title}>
            <b>{title}</b>
            <p>{text}</p>
          </li>
        ))}
      </ol>
    </div>
  );
}
