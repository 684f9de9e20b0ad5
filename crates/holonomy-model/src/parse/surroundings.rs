/// What stands around a place in a text that may not be TOML: brackets, strings, comments, headers, keys and values.
///
/// It goes on after a slip as the parser does: at the top, a line that cannot be read ends with the line; a bracket is
/// closed only by its own kind.
pub(super) struct Surroundings<'t> {
    text: &'t str,
    /// Everything before this was looked at.
    at: usize,
    pub(super) within: Within,
    /// Brackets of values that are open here.
    pub(super) open: Vec<usize>,
    /// Whether this is the line of a section header.
    pub(super) header: bool,
    /// Whether that header was closed before.
    pub(super) closed: bool,
    /// Whether there is an `=` after the key.
    pub(super) assigned: bool,
    /// Where the key, value or element begins that stands before the place, on its side of `=`, `,` and brackets.
    pub(super) first: Option<usize>,
    /// Whether the last letter was one of a bare word, where quotes mean nothing.
    in_word: bool,
}

/// Where brackets and marks mean nothing, and where they do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Within {
    /// A comment.
    Comment,
    /// A string, from its first quote.
    String {
        /// Where it begins.
        from: usize,
    },
    /// Neither.
    Plain,
}

impl<'t> Surroundings<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self {
            text,
            at: 0,
            within: Within::Plain,
            open: Vec::new(),
            header: false,
            closed: false,
            assigned: false,
            first: None,
            in_word: false,
        }
    }

    /// Goes on to a place; one that was passed already is left where it is.
    pub(super) fn advance(&mut self, to: usize) {
        while self.at < to {
            let Some(letter) = self.text[self.at..].chars().next() else {
                return;
            };
            let length = match self.within {
                Within::Comment if letter != '\n' => letter.len_utf8(),
                Within::String { from } => self.string(from, letter),
                _ => {
                    self.within = Within::Plain;
                    self.plain(letter)
                }
            };
            self.at += length;
        }
    }

    /// Takes a letter of a string, and gives the length that was taken.
    fn string(&mut self, from: usize, letter: char) -> usize {
        let quote = &self.text[from..=from];
        let triple = quote.repeat(3);
        let long = self.text[from..].starts_with(&triple);
        let rest = &self.text[self.at..];
        if letter == '\\' && quote == "\"" && !rest[1..].starts_with('\n') {
            return 1 + rest[1..].chars().next().map_or(0, char::len_utf8);
        }
        if long && self.at < from + 3 {
            return 3 - (self.at - from);
        }
        if letter == '\n' && !long {
            self.within = Within::Plain;
            return self.plain(letter);
        }
        if long && rest.starts_with(&triple) {
            self.within = Within::Plain;
            // Up to two quotes may stand before the closing three.
            return rest
                .bytes()
                .take(5)
                .take_while(|byte| *byte == quote.as_bytes()[0])
                .count();
        }
        if !long && rest.starts_with(quote) && self.at > from {
            self.within = Within::Plain;
        }
        letter.len_utf8()
    }

    fn plain(&mut self, letter: char) -> usize {
        let top = self.open.is_empty();
        let in_word = std::mem::replace(&mut self.in_word, false);
        match letter {
            '#' => self.within = Within::Comment,
            '\n' if top => {
                (self.header, self.closed, self.assigned, self.first) = (false, false, false, None);
            }
            _ if letter.is_whitespace() => {}
            '"' | '\'' if !in_word => {
                self.first.get_or_insert(self.at);
                self.within = Within::String { from: self.at };
            }
            ']' if self.header => self.closed |= !self.double_header() || self.text[..self.at].ends_with(']'),
            _ if self.header => self.in_word = letter != '[' && letter != '.',
            '[' if top && !self.assigned && self.first.is_none() => {
                self.header = true;
                self.first = Some(self.at);
            }
            '[' | '{' if self.first.is_none() && (self.assigned || !top) => {
                self.open.push(self.at);
                self.assigned = false;
            }
            '[' | '{' if !top => {
                self.open.push(self.at);
                (self.assigned, self.first) = (false, None);
            }
            ']' | '}' if self.open.last().is_some_and(|open| self.closes(*open, letter)) => {
                self.first = self.open.pop();
                self.assigned = true;
            }
            '=' if !self.assigned && !self.in_array() => (self.assigned, self.first) = (true, None),
            ',' if !top => (self.assigned, self.first) = (false, None),
            _ => {
                self.first.get_or_insert(self.at);
                self.in_word = !".,=[]{}".contains(letter);
            }
        }
        letter.len_utf8()
    }

    fn closes(&self, open: usize, letter: char) -> bool {
        self.text[open..].starts_with(if letter == ']' { '[' } else { '{' })
    }

    fn in_array(&self) -> bool {
        self.open
            .last()
            .is_some_and(|open| self.text[*open..].starts_with('['))
    }

    fn double_header(&self) -> bool {
        self.first
            .is_some_and(|first| self.text[first..].starts_with("[["))
    }
}
