// A JSON list of QTI 2.1 items on standard input; the same as QTI 3.0, by qti-convert, on standard output.
import { readFileSync } from "node:fs";
import { convertQti2toQti3 } from "@citolab/qti-convert/qti-convert-node";

console.log = () => {}; // what the converter tells
const converted = [];
for (const item of JSON.parse(readFileSync(0, "utf8"))) converted.push(await convertQti2toQti3(item));
process.stdout.write(JSON.stringify(converted));
