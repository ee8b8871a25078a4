// node validate.cjs FILE.glb: what the validator says of it, as JSON.
const { readFileSync } = require("fs");
const validator = require("gltf-validator");

validator.validateBytes(new Uint8Array(readFileSync(process.argv[2])), { maxIssues: 20 }).then(
  (report) => console.log(JSON.stringify(report)),
  (problem) => { console.error(problem); process.exit(1); },
);
