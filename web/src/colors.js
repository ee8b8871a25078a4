// Colours of bodies and of numbers: those of `clearance render`.
const palette = [0x3f8edc, 0xf29f3d, 0x52b06b, 0xe2607a, 0x8f74d6, 0x3db7bf, 0xddbe3f, 0xc47a52, 0x6c8ba4, 0xb65fb0];
export const obstacleColor = 0xc9ccd1;
export const bodyColor = (order) => palette[order % palette.length];

const viridis = [0x440154, 0x482878, 0x3e4989, 0x31688e, 0x26828e, 0x1f9e89, 0x35b779, 0x6ece58, 0xb5de2b, 0xfde725];
const linear = (c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
const size = 256;
/** Linear RGB of numbers in [0, 1], and the same for a picture of the scale. */
const table = new Float32Array(3 * size);
export const css = [];
for (let i = 0; i < size; ++i) {
  const at = (i / (size - 1)) * (viridis.length - 1), low = Math.min(Math.floor(at), viridis.length - 2), t = at - low;
  const channel = (hex, k) => ((hex >> (16 - 8 * k)) & 255) / 255;
  const rgb = [0, 1, 2].map((k) => (1 - t) * channel(viridis[low], k) + t * channel(viridis[low + 1], k));
  rgb.forEach((c, k) => { table[3 * i + k] = linear(c); });
  css.push(`rgb(${rgb.map((c) => Math.round(255 * c)).join(" ")})`);
}
const grey = [0.6, 0.61, 0.63].map(linear);

/** Colours of values between low and high; grey where there is no number. */
export function paint(values, low, high, out) {
  const scale = (size - 1) / (high > low ? high - low : 1);
  for (let i = 0; i < values.length; ++i) {
    const value = values[i];
    if (!(value === value)) {
      out[3 * i] = grey[0], out[3 * i + 1] = grey[1], out[3 * i + 2] = grey[2];
      continue;
    }
    const at = 3 * Math.min(size - 1, Math.max(0, Math.round((value - low) * scale)));
    out[3 * i] = table[at], out[3 * i + 1] = table[at + 1], out[3 * i + 2] = table[at + 2];
  }
}
