//! Writing HTML that data cannot break out of.
//!
//! Markup is constant, text is escaped, and attributes hold constants and numbers only: there is no way to hand a name of a
//! column or a state to [`Html`] but as text. The result is well-formed XML as well, so that a test can read it.

use crate::words::clean;
use clausality_bn::Schema;
use clausality_bn::draw::escaped;
use clausality_bn::dynamic::Lagged;

/// A page in the making.
#[derive(Debug, Default)]
pub(super) struct Html<'n> {
    out: String,
    nodes: Option<&'n Schema>,
}

impl<'n> Html<'n> {
    /// An empty page about these nodes.
    pub(super) fn about(nodes: &'n Schema) -> Self {
        Html { out: String::new(), nodes: Some(nodes) }
    }

    /// The page.
    pub(super) fn finish(self) -> String {
        self.out
    }

    /// Tags, written by us.
    pub(super) fn markup(&mut self, markup: &'static str) -> &mut Self {
        self.out.push_str(markup);
        self
    }

    /// Text from anywhere.
    pub(super) fn text(&mut self, text: impl AsRef<str>) -> &mut Self {
        self.out.push_str(&escaped(&clean(text.as_ref())));
        self
    }

    /// Lines of text from anywhere, one below the other.
    pub(super) fn text_lines(&mut self, lines: &[String]) -> &mut Self {
        for line in lines {
            self.text(line).markup("\n");
        }
        self
    }

    /// An element that holds nothing but text.
    pub(super) fn element(&mut self, tag: &'static str, text: impl AsRef<str>) -> &mut Self {
        self.out.extend(["<", tag, ">"]);
        self.text(text);
        self.out.extend(["</", tag, ">"]);
        self
    }

    /// The same with a class.
    pub(super) fn classed(
        &mut self,
        tag: &'static str,
        class: &'static str,
        text: impl AsRef<str>,
    ) -> &mut Self {
        self.out.extend(["<", tag, " class=\"", class, "\">"]);
        self.text(text);
        self.out.extend(["</", tag, ">"]);
        self
    }

    /// A part of the page that was written by itself, by the means above.
    pub(super) fn part(&mut self, written: &str) -> &mut Self {
        self.out.push_str(written);
        self
    }

    /// A picture that escapes its own names.
    pub(super) fn drawing(&mut self, svg: &str) -> &mut Self {
        self.out.push_str(svg);
        self
    }

    /// The number of a node, for its `id` and the links to it.
    pub(super) fn number(&mut self, number: usize) -> &mut Self {
        self.out.push_str(&number.to_string());
        self
    }

    /// A link to the part about a node; what was before is told where it is now.
    pub(super) fn link(&mut self, name: &str) -> &mut Self {
        let now = Lagged::parse(name).name;
        match self.nodes.and_then(|nodes| nodes.index(now).or_else(|| nodes.index(name))) {
            Some(node) => self.markup("<a href=\"#n").number(node).markup("\">").text(name).markup("</a>"),
            None => self.text(name),
        }
    }

    /// A share as a bar, with a mark to hold it against.
    pub(super) fn bar(&mut self, share: f64, mark: Option<f64>) -> &mut Self {
        self.markup(
            "<svg class=\"bar\" viewBox=\"0 0 100 8\" preserveAspectRatio=\"none\" aria-hidden=\"true\">",
        );
        self.markup("<rect class=\"fill\" height=\"8\" width=\"").hundredths(share).markup("\"/>");
        if let Some(mark) = mark {
            self.markup("<rect class=\"mark\" height=\"8\" width=\"1\" x=\"")
                .hundredths(mark.min(0.99))
                .markup("\"/>");
        }
        self.markup("</svg>")
    }

    /// Shares beside each other, each a column.
    pub(super) fn columns(&mut self, shares: &[f64]) -> &mut Self {
        let most = shares.iter().copied().fold(0.0, f64::max).max(f64::MIN_POSITIVE);
        self.markup("<svg class=\"columns\" viewBox=\"0 0 ")
            .number(10 * shares.len().max(1))
            .markup(" 100\"");
        self.markup(" preserveAspectRatio=\"none\" aria-hidden=\"true\">");
        for (place, share) in shares.iter().enumerate() {
            let height = (share / most).clamp(0.0, 1.0).max(0.02);
            self.markup("<rect class=\"fill\" width=\"9\" x=\"").number(10 * place).markup("\" y=\"");
            self.hundredths(1.0 - height).markup("\" height=\"").hundredths(height).markup("\"/>");
        }
        self.markup("</svg>")
    }

    /// A share on a scale of a hundred, with one decimal.
    fn hundredths(&mut self, share: f64) -> &mut Self {
        let value = if share.is_finite() { 100.0 * share.clamp(0.0, 1.0) } else { 0.0 };
        self.out.push_str(&format!("{}", (value * 10.0).round() / 10.0));
        self
    }

    /// A cell of a heat table: the nearer to one, the darker.
    pub(super) fn heat(&mut self, share: f64, text: &str) -> &mut Self {
        let level = (10.0 * share.clamp(0.0, 1.0)).floor() as usize;
        self.markup("<td class=\"h").number(level).markup("\">").text(text).markup("</td>")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_never_becomes_markup() {
        let mut html = Html::default();
        html.element("td", "<img src=x onerror=alert(1)>").text("\"a\" & 'b'\u{202e}\u{0}");
        let expected =
            "<td>&lt;img src=x onerror=alert(1)&gt;</td>&quot;a&quot; &amp; &#39;b&#39;\\u{202e}\\u{0}";
        assert_eq!(html.finish(), expected);
    }

    #[test]
    fn bars_hold_numbers_only() {
        let mut html = Html::default();
        html.bar(f64::NAN, None).bar(2.0, Some(0.5)).heat(1.0, "100%");
        let text = html.finish();
        assert!(text.contains("width=\"0\"") && text.contains("width=\"100\"") && text.contains("x=\"50\""));
        assert!(text.ends_with("<td class=\"h10\">100%</td>"), "{text}");
    }
}
