package query

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"shoal/text"
	"shoal/text/language"
)

// Keywords is the parsed text of a keyword query.
type Keywords struct {
	// Terms are the words and phrases in order, then the n-grams, with their positions in
	// the query. Without terms the search is a placeholder search.
	Terms []Term
	// Negatives exclude documents, in order.
	Negatives []Negative
}

// Negative is a word or phrase whose documents are excluded.
type Negative struct {
	// Words is one word, or those of a phrase ("" is a hole).
	Words  []string
	Phrase bool
	// Before is the number of terms before it.
	Before int
}

// Excluded returns the negative words and phrases apart. k may be nil. The phrases belong to k.
func (k *Keywords) Excluded() (words []string, phrases [][]string) {
	if k == nil {
		return nil, nil
	}
	for i := range k.Negatives {
		if n := &k.Negatives[i]; n.Phrase {
			phrases = append(phrases, n.Words)
		} else {
			words = append(words, n.Words...)
		}
	}
	return words, phrases
}

// Parse reads the text of a query (spec ranking 3.1). It looks nothing up in the index;
// Term says what is still missing.
func (l *Lexis) Parse(q string, locales []language.Language) *Keywords {
	p := parser{lexis: l, tokenizer: l.Tokenizer(locales), out: new(Keywords), position: 65535, afterSpace: true}
	p.prefixes = l.settings.PrefixSearch != "disabled"
	tokens := make([]text.Token, 0, 16)
	for token := range p.tokenizer.Tokenize(readable(q)) {
		if len(tokens) == MaxTokens {
			break
		}
		tokens = append(tokens, token)
	}
	for i := range tokens {
		if tokens[i].Lemma == "" {
			continue
		}
		if len(p.out.Terms) >= MaxTerms {
			p.open = false // an unfinished phrase is discarded
			break
		}
		p.token(&tokens[i], i == len(tokens)-1)
	}
	p.closePhrase()
	for i := range p.out.Terms {
		p.out.Terms[i].FirstID, p.out.Terms[i].LastID = uint8(i), uint8(i)
	}
	p.addNgrams()
	return p.out
}

// maxText bounds the part of a query that is read, in bytes. Its words are among the first
// ones. A text without blanks is segmented as a whole, which takes many times its size.
const maxText = 256 << 10

// readable is the part of the text that is read.
func readable(q string) string {
	if len(q) <= maxText {
		return q
	}
	end := maxText
	for end > maxText-utf8.UTFMax && !utf8.RuneStart(q[end]) {
		end--
	}
	return q[:end]
}

// parser is the state of the scan of spec ranking 3.1.
type parser struct {
	lexis     *Lexis
	tokenizer *text.Tokenizer
	out       *Keywords
	prefixes  bool

	position uint16 // wraps around: the first word is at 0
	// phrase is collected while open is set. start and end are its positions.
	open           bool
	phrase         []string
	start, end     uint16
	negativePhrase bool
	negativeNext   bool
	afterSpace     bool
}

func (p *parser) token(t *text.Token, last bool) {
	if t.Kind.IsSeparator() {
		p.separator(t)
	} else {
		p.word(t, last)
	}
	r, _ := utf8.DecodeLastRuneInString(t.Lemma)
	p.afterSpace = unicode.IsSpace(r)
}

func (p *parser) word(t *text.Token, last bool) {
	p.position++
	switch {
	case p.open:
		p.push(t)
	case p.negativeNext:
		p.negative([]string{strings.Clone(t.Lemma)}, false)
		p.negativeNext = false
	case last:
		p.out.Terms = append(p.out.Terms, p.wordTerm(t.Lemma, p.prefixes))
	case t.Kind == text.Word:
		p.out.Terms = append(p.out.Terms, p.wordTerm(t.Lemma, false))
	}
}

// push adds a word or a hole to the open phrase. Leading holes do not move its start.
func (p *parser) push(t *text.Token) {
	if allHoles(p.phrase) {
		p.start = p.position
	}
	p.end = p.position
	if t.Kind == text.StopWord {
		p.phrase = append(p.phrase, "")
		return
	}
	p.phrase = append(p.phrase, strings.Clone(t.Lemma))
}

func (p *parser) negative(words []string, phrase bool) {
	p.out.Negatives = append(p.out.Negatives, Negative{words, phrase, len(p.out.Terms)})
}

func (p *parser) separator(t *text.Token) {
	if t.Kind == text.SeparatorHard {
		p.position += 7
		if p.open {
			p.closePhrase()
			p.openPhrase()
		}
	}
	if quotes := strings.Count(t.Lemma, `"`); quotes > 0 {
		if p.open {
			quotes--
			if p.closePhrase() {
				p.negativePhrase = false
			}
		}
		if quotes%2 == 1 {
			p.negativePhrase = p.negativeNext
			p.openPhrase()
		}
	}
	p.negativeNext = !p.open && p.afterSpace && t.Lemma == "-"
}

func (p *parser) openPhrase() { p.open, p.phrase = true, nil }

// closePhrase ends the open phrase and stores it. It returns whether it stored a negative
// phrase. A phrase of only stop words is dropped.
func (p *parser) closePhrase() (negative bool) {
	if !p.open {
		return false
	}
	p.open = false
	if allHoles(p.phrase) {
		return false
	}
	if p.negativePhrase {
		p.negative(p.phrase, true)
		return true
	}
	p.out.Terms = append(p.out.Terms, Term{Phrase: p.phrase, First: p.start, Last: p.end})
	return false
}

func allHoles(phrase []string) bool {
	for _, w := range phrase {
		if w != "" {
			return false
		}
	}
	return true
}

func (p *parser) wordTerm(lemma string, prefix bool) Term {
	t := Term{Text: strings.Clone(lemma), First: p.position, Last: p.position}
	if len(lemma) > MaxWordBytes {
		t.Inert = true
		return t
	}
	t.Prefix, t.Budget = prefix, p.lexis.Budget(lemma)
	t.Synonyms = uniquePhrases(p.lexis.synonymsOf(lemma, p.tokenizer, true))
	return t
}

// addNgrams appends the n-grams of two and three neighbouring words in the order in which
// their nodes follow their last word (spec ranking 3.7).
func (p *parser) addNgrams() {
	n := len(p.out.Terms)
	for i := 1; i < n; i++ {
		for size := 2; size <= 3 && size <= i+1; size++ {
			if t, ok := p.ngram(p.out.Terms[i+1-size : i+1]); ok {
				p.out.Terms = append(p.out.Terms, t)
			}
		}
	}
}

func (p *parser) ngram(parts []Term) (Term, bool) {
	words := make([]string, len(parts))
	for i := range parts {
		if parts[i].IsPhrase() || i > 0 && parts[i-1].Last+1 != parts[i].First {
			return Term{}, false
		}
		words[i] = parts[i].Text
	}
	joined := strings.Join(words, "")
	if len(joined) > MaxWordBytes {
		return Term{}, false
	}
	first, last := &parts[0], &parts[len(parts)-1]
	t := Term{
		Text: joined, Ngram: words, Prefix: last.Prefix,
		First: first.First, Last: last.Last, FirstID: first.FirstID, LastID: last.LastID,
	}
	if b, cost := int(p.lexis.Budget(joined)), len(parts)-1; b > cost {
		t.Budget = uint8(b - cost)
	}
	synonyms := p.lexis.synonymsOf(joined, p.tokenizer, true)
	synonyms = append(synonyms, p.lexis.synonymsOf(strings.Join(words, "\x00"), p.tokenizer, false)...)
	t.Synonyms = uniquePhrases(synonyms)
	return t, true
}
