// page.js FOLDER CHROMIUM: each page of a folder in four variants, with a picture of each; axe-core's violations and what is
// wider than the window on standard output. Exit status 1 where a violation is serious or critical, or anything sticks out.
const fs = require('fs');
const path = require('path');
const {chromium} = require('playwright-core');
const axe = fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

const [folder, executablePath] = process.argv.slice(2);
const variants = {
  wide: {width: 1400, colorScheme: 'light', media: 'screen'},
  phone: {width: 420, colorScheme: 'light', media: 'screen'},
  dark: {width: 1400, colorScheme: 'dark', media: 'screen'},
  'phone-dark': {width: 420, colorScheme: 'dark', media: 'screen'},
  print: {width: 760, colorScheme: 'light', media: 'print'},
};

// What axe-core finds, by its rules for WCAG 2.2 AA and its best practices.
async function violations(page) {
  // pages allow no scripts: the debugger's way in is not theirs
  await page.evaluate(axe);
  const found = await page.evaluate(() => axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa',
    'best-practice']}));
  return found.violations;
}

async function look(browser, file, name, {width, colorScheme, media}) {
  const page = await browser.newPage({viewport: {width, height: 900}, colorScheme});
  await page.emulateMedia({media, colorScheme});
  await page.goto('file://' + path.resolve(folder, file));
  const wider = await page.evaluate(() => Math.max(0, document.documentElement.scrollWidth - window.innerWidth));
  await page.screenshot({path: path.join(folder, `${path.parse(file).name}-${name}.png`), fullPage: true});
  const found = await violations(page);
  await page.close();
  const serious = found.filter(v => ['serious', 'critical'].includes(v.impact));
  console.log(`${file.padEnd(16)} ${name.padEnd(10)} violations ${found.length}, serious ${serious.length}, `
    + `wider than the window by ${wider} px`);
  for (const v of found)
    console.log(`    ${v.impact} ${v.id}, ${v.nodes.length} times: ${v.help}; ${v.nodes[0].html.slice(0, 120)}`);
  return {violations: found.length, serious: serious.length, wider: wider > 0};
}

(async () => {
  const browser = await chromium.launch({executablePath, args: ['--no-sandbox', '--disable-gpu']});
  const all = [];
  for (const file of fs.readdirSync(folder).filter(f => f.endsWith('.html')).sort())
    for (const [name, variant] of Object.entries(variants))
      all.push(await look(browser, file, name, variant));
  await browser.close();
  const sum = key => all.reduce((n, a) => n + Number(a[key]), 0);
  console.log(`pages and variants: ${all.length}, violations: ${sum('violations')}, serious: ${sum('serious')}, `
    + `too wide: ${sum('wider')}`);
  process.exit(all.length === 0 || sum('serious') + sum('wider') > 0 ? 1 : 0);
})();
