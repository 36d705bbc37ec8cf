import { workbenchPage, workbenchPolicy } from './workbench-page.js';

const page = (signsInByProvider: boolean) =>
  workbenchPage({ below: './workbench/', script: 'workbench-A.js', style: 'style-A.css', signsInByProvider });

it('the page loads its script and style sheet from files, and contains no inline scripts or styles', () => {
  expect(page(false)).not.toMatch(/<script(?! type="module" src=)|<style|\sstyle=|\son\w+=/);
  expect(page(false)).toContain('src="./workbench/workbench-A.js"');
  expect(page(false)).toContain('href="./workbench/style-A.css"');
  expect(workbenchPolicy).not.toMatch(/unsafe|\*|data:/);
});

it('the page says if an identity provider is configured', () => {
  expect(page(true)).toContain('data-provider="yes"');
  expect(page(false)).toContain('data-provider="no"');
});
