'use strict';
{
  const data = JSON.parse(document.getElementById('posteriors').textContent);
  const buttons = [...document.querySelectorAll('#ask button')];
  const cards = [...document.querySelectorAll('#ask .card')];
  const said = document.getElementById('found');
  const unasked = said.textContent;
  // Ten-thousandths, told as everywhere else on the page.
  const percent = (share) => {
    if (share > 9900) return share === 10000 ? '100%' : '>99%';
    return share === 0 || share >= 100 ? `${Math.round(share / 100)}%` : '\u003c1%';
  };
  const label = (button) => `${button.closest('.card').firstElementChild.textContent} = ${button.firstElementChild.textContent}`;
  const show = (chosen) => {
    const now = chosen === null ? data.prior : data.given[chosen];
    buttons.forEach((button, k) => {
      button.querySelector('.fill').setAttribute('width', now[k] / 100);
      button.lastElementChild.textContent = percent(now[k]);
      button.setAttribute('aria-pressed', String(k === chosen));
    });
    const moved = (card) => Math.max(...[...card.querySelectorAll('button')].map((button) => {
      const k = buttons.indexOf(button);
      return Math.abs(now[k] - data.prior[k]);
    }));
    cards.forEach((card) => card.classList.toggle('moved', moved(card) >= 500));
    said.textContent = chosen === null ? unasked : `Where ${label(buttons[chosen])}, which is so in ${percent(data.prior[chosen])} of all cases:`;
  };
  buttons.forEach((button, k) => {
    button.disabled = data.given[k] === null;
    button.addEventListener('click', () => show(button.getAttribute('aria-pressed') === 'true' ? null : k));
  });
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') show(null);
  });
  said.hidden = false;
}
