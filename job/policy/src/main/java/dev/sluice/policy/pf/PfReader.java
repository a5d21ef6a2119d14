package dev.sluice.policy.pf;

import dev.sluice.policy.NearestWord;
import dev.sluice.policy.RuleReading;
import dev.sluice.policy.RuleSyntaxException;
import dev.sluice.policy.model.Condition;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Reader of the statements of a text for pf. */
final class PfReader {
    private static final int MOST_DEPTH = 64;

    private static final Set<String> STATEMENTS =
            Set.of(
                    "pass",
                    "block",
                    "match",
                    "anchor",
                    "table",
                    "set",
                    "antispoof",
                    "scrub",
                    "nat",
                    "rdr",
                    "binat",
                    "nat-anchor",
                    "rdr-anchor",
                    "binat-anchor",
                    "load",
                    "queue",
                    "altq",
                    "include",
                    "no");

    /** Answers of a rule that blocks. */
    private static final Set<String> ANSWERS =
            Set.of("drop", "return", "return-rst", "return-icmp", "return-icmp6");

    private final RuleReading in;
    private final String text;
    private final boolean skips;
    private final PfCursor at;
    private final PfHosts hosts;

    /** Interfaces whose packets no rule judges, each with its place. */
    private final List<PfItem> skipped = new ArrayList<>();

    private boolean reassembles = true;
    private boolean stateless;
    private int translates;
    private int limits;
    private int depth;

    PfReader(RuleReading in, String text, boolean skips) {
        this.in = in;
        this.text = text;
        this.skips = skips;
        at = new PfCursor(PfLexer.tokens(in, text));
        hosts = new PfHosts(in);
    }

    List<PfItem> skipped() {
        return skipped;
    }

    /** Returns whether fragments are put together before the rules. */
    boolean reassembles() {
        return reassembles;
    }

    /** Returns whether some rule lets packets pass without a state. */
    boolean isStateless() {
        return stateless;
    }

    /** Reads all statements. */
    List<PfItem> read() {
        List<PfItem> items = new ArrayList<>();
        while (!at.atEnd()) {
            statements(items, "pf");
            if (at.peek().is("}")) {
                in.defect(at.peek().line(), at.peek().refused("closes nothing; remove it"));
                at.next();
            }
        }
        if (translates > 0) {
            in.warn(
                    translates,
                    "translates addresses: rules see destinations after rdr and sources after nat; judge a capture from where it has these");
        }
        if (limits > 0) {
            in.warn(
                    limits,
                    "limits connections (max): they are judged as below the limit, above which pf drops them");
        }
        return items;
    }

    private void statements(List<PfItem> into, String chain) {
        while (!at.atEnd() && !at.peek().is("}")) {
            if (at.take(PfToken.NEWLINE)) {
                continue;
            }
            PfToken first = at.next();
            try {
                statement(first, into, chain);
                if (!at.peek().ends()) {
                    throw at.peek().refused("stands behind a whole statement; remove it");
                }
            } catch (RuleSyntaxException e) {
                int line = at.last().line();
                at.skipStatement();
                if (skips && !first.is("table") && !first.is("include")) {
                    in.warn(line, "skipped: " + e.getMessage());
                    into.add(unknown(first, chain));
                } else {
                    in.defect(line, e);
                }
            }
        }
    }

    private PfItem unknown(PfToken first, String chain) {
        PfItem item = new PfItem(PfItem.Kind.UNKNOWN, first, chain);
        item.text = words(first);
        return item;
    }

    /** The words of a statement up to here, as they are written. */
    private String words(PfToken first) {
        int end = Math.max(first.end(), at.last().is(PfToken.NEWLINE) ? 0 : at.last().end());
        return text.substring(first.start(), end).replaceAll("\\s*\\\\?\\s*\\R\\s*", " ");
    }

    private void statement(PfToken first, List<PfItem> into, String chain)
            throws RuleSyntaxException {
        switch (first.text()) {
            case "pass" -> rule(new PfItem(PfItem.Kind.PASS, first, chain), into);
            case "block" -> {
                PfItem item = new PfItem(PfItem.Kind.BLOCK, first, chain);
                while (ANSWERS.contains(at.peek().text())) {
                    at.next();
                    if (at.peek().is("(")) {
                        at.skipArgument();
                    }
                }
                rule(item, into);
            }
            case "match" -> rule(new PfItem(PfItem.Kind.MATCH, first, chain), into);
            case "anchor" -> anchor(first, into, chain);
            case "table" -> hosts.table(at);
            case "set" -> set(first);
            case "antispoof" -> antispoof(first, into, chain);
            case "nat", "rdr", "binat", "nat-anchor", "rdr-anchor", "binat-anchor" ->
                    translation(first, into, chain);
            case "scrub", "queue", "altq", "load" -> at.skipStatement();
            case "no" -> {
                if (!at.peek().text().matches("nat|rdr|binat|scrub")) {
                    throw at.peek().refused("cannot stand behind no; write nat, rdr or scrub");
                }
                at.skipStatement();
            }
            case "include" ->
                    throw first.refused(
                            "reads another file; put its text in the place of this line");
            default ->
                    throw first.refused(
                            "begins no statement that Sluice knows; "
                                    + NearestWord.of(first.text(), STATEMENTS.stream())
                                            .map(near -> "write " + near)
                                            .orElse(
                                                    "write pass, block, match, table, set or anchor"));
        }
    }

    private PfRuleParser rule(PfItem item, List<PfItem> into) throws RuleSyntaxException {
        PfRuleParser parser = new PfRuleParser(at, hosts, item);
        parser.read();
        if (parser.rewrites() && translates == 0) {
            translates = item.at.line();
        }
        if (parser.limits() && limits == 0) {
            limits = item.at.line();
        }
        stateless |= parser.isStateless();
        item.text = words(item.at);
        into.add(item);
        return parser;
    }

    private void anchor(PfToken first, List<PfItem> into, String chain) throws RuleSyntaxException {
        String name = "";
        if (at.peek().quoted()
                || !at.peek().text().matches("in|out|on|inet6?|proto|from|to|all|quick|\\{")) {
            name = at.word("a name").text();
        }
        PfItem item = new PfItem(PfItem.Kind.UNKNOWN, first, name.isEmpty() ? chain : name);
        List<PfItem> own = new ArrayList<>();
        rule(item, own);
        into.add(item);
        if (!at.take("{")) {
            return;
        }
        if (++depth > MOST_DEPTH) {
            throw first.refused("is nested too deep; nest fewer anchors");
        }
        List<PfItem> inner = new ArrayList<>();
        item.inner = inner;
        statements(inner, item.chain);
        depth--;
        if (!at.take("}")) {
            throw first.refused("is not closed; close it by }");
        }
    }

    private void set(PfToken first) throws RuleSyntaxException {
        PfToken option = at.word("an option");
        if (!PfNames.SETTINGS.contains(option.text())) {
            throw option.refused(
                    "is no option that Sluice knows; "
                            + NearestWord.of(option.text(), PfNames.SETTINGS.stream())
                                    .map(near -> "write " + near)
                                    .orElse("leave it out"));
        }
        if (option.is("reassemble")) {
            PfToken value = at.word("yes or no");
            reassembles = !value.is("no");
        } else if (option.is("skip")) {
            if (!at.take("on")) {
                throw at.peek().refused("is no interface; write set skip on lo0");
            }
            PfItem item = new PfItem(PfItem.Kind.PASS, first, "pf");
            item.on = PfMatches.interfaces(at);
            item.text = words(first);
            item.action = "skip";
            skipped.add(item);
            return;
        }
        at.skipStatement();
    }

    /** Adds that packets which come in elsewhere have no address of an interface's networks. */
    private void antispoof(PfToken first, List<PfItem> into, String chain)
            throws RuleSyntaxException {
        PfItem options = new PfItem(PfItem.Kind.BLOCK, first, chain);
        options.out = false;
        while (!at.take("for")) {
            PfToken word = at.word("for");
            options.quick |= word.is("quick");
            if (!word.text().matches("quick|log")) {
                throw word.refused("is no option of antispoof; write log, quick or for");
            }
            if (at.peek().is("(")) {
                at.skipArgument();
            }
        }
        List<String> names = new ArrayList<>();
        at.list(
                () -> {
                    boolean dynamic = at.take("(");
                    names.add(at.word("an interface").text());
                    if (dynamic && !at.take(")")) {
                        throw at.peek().refused("stands where ) is expected; write it");
                    }
                });
        new PfRuleParser(at, hosts, options).read();
        for (String name : names) {
            boolean loopback = name.startsWith("lo");
            PfItem networks = copy(options);
            networks.on = incoming -> Condition.not(PfMatches.named(name, incoming));
            networks.conditions.add(
                    loopback ? PfHosts.LOOPBACK : new Condition.Unknown("the networks of " + name));
            networks.text = words(first);
            into.add(networks);
            if (!loopback) {
                PfItem own = copy(options);
                own.conditions.add(new Condition.Unknown("from the addresses of " + name));
                own.text = networks.text;
                into.add(own);
            }
        }
    }

    private static PfItem copy(PfItem of) {
        PfItem item = new PfItem(of.kind, of.at, of.chain);
        item.quick = of.quick;
        item.out = false;
        item.action = "block";
        item.conditions.addAll(of.conditions);
        return item;
    }

    /** Says that addresses are translated; {@code rdr pass} also lets packets through. */
    private void translation(PfToken first, List<PfItem> into, String chain)
            throws RuleSyntaxException {
        translates = translates == 0 ? first.line() : translates;
        boolean passes = at.take("pass");
        PfItem item = new PfItem(PfItem.Kind.PASS, first, chain);
        while (passes && !at.peek().ends()) {
            if (at.next().is("-") && at.take(">") && first.is("rdr")) {
                Condition to = hosts.host(at, false);
                if (!to.equals(Condition.ALWAYS)) {
                    item.conditions.add(to);
                }
                break;
            }
        }
        at.skipStatement();
        if (passes) {
            item.text = words(first);
            item.out = !first.is("rdr");
            item.in = first.is("rdr");
            item.quick = true;
            item.conditions.add(new Condition.Unknown("whether " + item.text + " translated it"));
            into.add(item);
        }
    }
}
