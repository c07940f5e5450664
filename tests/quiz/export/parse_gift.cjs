// GIFT on standard input; what gift-pegjs makes of it, as JSON, on standard output.
const { parse } = require("../../node_modules/gift-pegjs");
const text = require("fs").readFileSync(0, "utf8");
try {
  process.stdout.write(JSON.stringify(parse(text)));
} catch (error) {
  process.stderr.write(`${error.message} at line ${error.location && error.location.start.line}`);
  process.exit(1);
}
