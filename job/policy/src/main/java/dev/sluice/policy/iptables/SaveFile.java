package dev.sluice.policy.iptables;

import dev.sluice.policy.RuleReading;
import dev.sluice.policy.RuleSyntaxException;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.Counters;
import dev.sluice.policy.model.Effect;
import dev.sluice.policy.model.Origin;
import dev.sluice.policy.model.Outcome;
import dev.sluice.policy.model.PolicyRule;
import dev.sluice.policy.model.Translation;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A text as iptables-save prints it: first its lines are cut into tables and chains, then the rules
 * are parsed, since they may name chains and sets of later lines.
 */
final class SaveFile {
    private static final Map<String, List<String>> BUILT_IN =
            Map.of(
                    "filter", List.of("INPUT", "FORWARD", "OUTPUT"),
                    "nat", List.of("PREROUTING", "INPUT", "OUTPUT", "POSTROUTING"),
                    "mangle", List.of("PREROUTING", "INPUT", "FORWARD", "OUTPUT", "POSTROUTING"),
                    "raw", List.of("PREROUTING", "OUTPUT"),
                    "security", List.of("INPUT", "FORWARD", "OUTPUT"));

    private static final Pattern COUNTERS = Pattern.compile("\\[([0-9]{1,18}):([0-9]{1,18})\\]");

    /** The first line that iptables prints where it speaks to nftables. */
    private static final Pattern NFT =
            Pattern.compile("tables(-nft)?-save v[0-9.]+ \\(nf_tables\\)");

    /** The first line that iptables prints where it speaks to the kernel's older tables. */
    private static final Pattern LEGACY = Pattern.compile("tables(-legacy)?-save v[0-9.]+ on ");

    /** Options of rules that change sets. */
    private static final Pattern CHANGES = Pattern.compile("--(add|del)(-s?e?t?)?");

    /** Matches and targets that switch connection tracking on, which reassembles fragments. */
    private static final Set<String> TRACKING =
            Set.of(
                    "conntrack",
                    "state",
                    "connlimit",
                    "connbytes",
                    "connmark",
                    "helper",
                    "CT",
                    "NOTRACK",
                    "CONNMARK",
                    "CONNSECMARK",
                    "SYNPROXY");

    private final RuleReading in;
    private final boolean v6;
    private final boolean skip;
    private final IpSets sets = new IpSets();
    private final Map<String, Origin> created = new LinkedHashMap<>();
    private final Map<String, Table> tables = new LinkedHashMap<>();
    private @Nullable Table table;
    private int tableLine;

    /** True if the file names nftables as the back end that it is of. */
    private boolean nft;

    private boolean legacy;

    /** A table: its rules by chain, and the rule at the end of each chain of the kernel. */
    record Table(
            String name,
            Map<String, List<Line>> lines,
            Map<String, PolicyRule> ends,
            Map<String, List<PolicyRule>> chains,
            Set<PolicyRule> untracking,
            Map<PolicyRule, Translation> translations) {
        boolean isBuiltIn(String chain) {
            return BUILT_IN.getOrDefault(name, List.of()).contains(chain);
        }

        Set<String> userChains() {
            Set<String> own = new HashSet<>(lines.keySet());
            own.removeIf(this::isBuiltIn);
            return own;
        }
    }

    /** A line of a rule; {@code from} is the number of its first word behind the chain. */
    private record Line(
            int number, String text, List<Word> words, int from, @Nullable Counters counters) {}

    SaveFile(RuleReading in, boolean v6, boolean skip) {
        this.in = in;
        this.v6 = v6;
        this.skip = skip;
    }

    /** Reads the text to its end; defects are reported. */
    Map<String, Table> read() throws IOException {
        in.eachLine(this::line);
        if (table != null) {
            in.defect(
                    tableLine,
                    new RuleSyntaxException(
                            1,
                            "*" + table.name,
                            "is a table without its end; add a line COMMIT, or dump the policy again: the file may be cut short"));
        }
        sets.change(
                wordsBehind(
                        word ->
                                word.text().startsWith("--")
                                        && CHANGES.matcher(word.text()).matches()));
        Set<String> named = wordsBehind(word -> true);
        created.forEach(
                (name, origin) -> {
                    if (!sets.isUsed(name, v6, named)) {
                        in.unused(origin);
                    }
                });
        Set<String> targets = wordsBehind(RuleParser::isJump);
        boolean marks = wordsBehind(RuleParser::isMatch).contains("mark");
        DumpFacts facts = new DumpFacts(v6, nft, skip, sets, targets, marks, in.zone(), in.host());
        for (Table one : tables.values()) {
            one.lines.forEach((chain, lines) -> parse(one, chain, lines, facts));
        }
        return tables;
    }

    /** Returns whether the kernel tracks connections, as far as the file tells. */
    boolean tracks() {
        Set<String> words = wordsBehind(RuleParser::isJump);
        words.addAll(wordsBehind(word -> word.is("-m") || word.is("--match")));
        return tables.containsKey("nat") || words.stream().anyMatch(TRACKING::contains);
    }

    private void line(String text) throws RuleSyntaxException {
        String line = text.strip();
        if (line.isEmpty() || line.startsWith("#")) {
            nft |= NFT.matcher(line).find();
            legacy |= LEGACY.matcher(line).find();
            return;
        }
        List<Word> words = new ArrayList<>(Word.of(text));
        Word first = words.get(0);
        if (first.is("create") || first.is("add")) {
            sets.read(words);
            if (first.is("create")) {
                Origin origin = new Origin(in.file(), in.line(), "", "", line, null);
                created.put(words.get(1).text(), origin);
            }
        } else if (first.text().startsWith("*")) {
            begin(first);
        } else if (table == null) {
            throw first.refused("stands outside a table; put a line such as *filter before it");
        } else if (first.is("COMMIT")) {
            table = null;
        } else if (first.text().startsWith(":")) {
            declare(table, words);
        } else {
            command(table, words, text);
        }
    }

    private void begin(Word word) throws RuleSyntaxException {
        String name = word.text().substring(1);
        List<String> builtIn = BUILT_IN.get(name);
        if (builtIn == null) {
            throw word.refused("is no table; iptables has filter, nat, mangle, raw and security");
        }
        if (table != null) {
            throw word.refused("begins before table " + table.name + " ends; put COMMIT before it");
        }
        tableLine = in.line();
        Map<String, List<Line>> lines = new LinkedHashMap<>();
        Map<String, PolicyRule> ends = new LinkedHashMap<>();
        table =
                new Table(
                        name, lines, ends, new LinkedHashMap<>(), new HashSet<>(), new HashMap<>());
        Table before = tables.put(name, table);
        for (String chain : builtIn) {
            lines.put(chain, new ArrayList<>());
            ends.put(chain, end(chain, "ACCEPT", word.text(), null));
        }
        if (before != null && !nft) {
            requireBackEnd(before, word);
            ends.putAll(before.ends); // the kernel's older tables keep policies
        }
    }

    private void requireBackEnd(Table before, Word word) throws RuleSyntaxException {
        boolean drops =
                before.ends.values().stream()
                        .anyMatch(end -> end.effect().equals(new Effect.Decide(Outcome.DENY)));
        if (drops && !legacy) {
            throw word.refused(
                    "is a second section of the table: iptables-legacy keeps the policies of the first one, iptables-nft does not; join the sections");
        }
    }

    private PolicyRule end(String chain, String policy, String text, @Nullable Counters counters) {
        Outcome outcome = policy.equals("ACCEPT") ? Outcome.PERMIT : Outcome.DENY;
        return new PolicyRule(
                new Origin(in.file(), in.line(), chain, "", text, counters),
                Condition.ALWAYS,
                new Effect.Decide(outcome),
                policy);
    }

    /** {@code :CHAIN POLICY [packets:bytes]}. */
    private void declare(Table in, List<Word> words) throws RuleSyntaxException {
        Word first = words.get(0);
        String chain = first.text().substring(1);
        if (words.size() < 2 || chain.isEmpty()) {
            throw first.refused("declares no chain; write it as in :INPUT ACCEPT [0:0]");
        }
        Counters counters = words.size() > 2 ? counters(words.get(2)) : null;
        policy(in, chain, words.get(1), first.text() + " " + words.get(1).text(), counters);
    }

    private void policy(
            Table in, String chain, Word policy, String text, @Nullable Counters counters)
            throws RuleSyntaxException {
        boolean none = policy.is("-");
        if (none == in.isBuiltIn(chain)) {
            throw policy.refused(
                    none
                            ? "is no policy of chain %s; write ACCEPT or DROP".formatted(chain)
                            : "is the policy of a chain that is not the kernel's; write -");
        }
        if (none) {
            in.lines.putIfAbsent(chain, new ArrayList<>());
            return;
        }
        if (!policy.is("ACCEPT") && !policy.is("DROP")) {
            throw policy.refused("is no policy; write ACCEPT or DROP");
        }
        if (policy.is("DROP") && in.name.equals("nat")) {
            throw policy.refused(
                    "drops new connections in table nat, which Sluice does not read; write ACCEPT, and drop in table filter");
        }
        in.ends.put(chain, end(chain, policy.text(), text, counters));
    }

    private void command(Table to, List<Word> words, String text) throws RuleSyntaxException {
        Counters counters = null;
        int at = 0;
        if (words.get(0).text().startsWith("[")) {
            counters = counters(words.get(0));
            at = 1;
        }
        if (words.size() < at + 2) {
            throw words.get(0).refused("is no whole line; write a rule as in -A INPUT -j ACCEPT");
        }
        Word command = words.get(at);
        Word chain = words.get(at + 1);
        List<Line> rules = to.lines.get(chain.text());
        switch (command.text()) {
            case "-N", "--new-chain" -> {
                if (rules != null) {
                    throw chain.refused("is a chain already; remove the line");
                }
                to.lines.put(chain.text(), new ArrayList<>());
            }
            case "-P", "--policy" -> {
                if (words.size() < at + 3) {
                    throw chain.refused("is given no policy; write ACCEPT or DROP behind it");
                }
                policy(to, chain.text(), words.get(at + 2), text.strip(), null);
            }
            case "-A", "--append", "-I", "--insert" -> {
                if (rules == null) {
                    throw chain.refused(
                            "is no chain of table %s; declare it by a line :%s - [0:0]"
                                    .formatted(to.name, chain.text()));
                }
                int from = at + 2;
                int place = rules.size();
                if (command.is("-I") || command.is("--insert")) {
                    place = 0;
                    if (from < words.size() && words.get(from).text().matches("[0-9]{1,9}")) {
                        Word number = words.get(from++);
                        place = Integer.parseInt(number.text()) - 1;
                        if (place < 0 || place > rules.size()) {
                            throw number.refused(
                                    "is no place in the chain; write 1 or more, one beyond its rules at most");
                        }
                    }
                }
                String own = text.substring(command.column() - 1).strip();
                rules.add(place, new Line(in.line(), own, words, from, counters));
            }
            default ->
                    throw command.refused(
                            "is no command that Sluice reads; write the file as iptables-save prints it, with -A lines");
        }
    }

    private static Counters counters(Word word) throws RuleSyntaxException {
        Matcher counters = COUNTERS.matcher(word.text());
        if (!counters.matches()) {
            throw word.refused("is no pair of counters; write it as in [12:3456]");
        }
        return new Counters(Long.parseLong(counters.group(1)), Long.parseLong(counters.group(2)));
    }

    /** The words of all rules behind certain options. */
    private Set<String> wordsBehind(Predicate<Word> option) {
        Set<String> targets = new HashSet<>();
        for (Table one : tables.values()) {
            for (List<Line> lines : one.lines.values()) {
                for (Line line : lines) {
                    for (int i = line.from; i + 1 < line.words.size(); i++) {
                        if (option.test(line.words.get(i))) {
                            targets.add(line.words.get(i + 1).text());
                        }
                    }
                }
            }
        }
        return targets;
    }

    private void parse(Table of, String chain, List<Line> lines, DumpFacts facts) {
        List<PolicyRule> rules = new ArrayList<>();
        of.chains.put(chain, rules);
        Set<String> chains = of.userChains();
        for (Line line : lines) {
            RuleParser parser = new RuleParser(line.words, line.from, chains, facts);
            parser.standsIn(of.isBuiltIn(chain) ? chain : "");
            try {
                parser.read();
                if (of.name.equals("nat") && parser.action().equals("DROP")) {
                    throw new RuleSyntaxException(
                            1,
                            line.text,
                            "drops in table nat, which iptables refuses; drop in table filter");
                }
            } catch (RuleSyntaxException e) {
                if (!skip) {
                    in.defect(line.number, e);
                    continue;
                }
                in.warn(line.number, "skipped: " + e.getMessage());
                parser.skip();
            }
            if (parser.note() != null) {
                in.warn(line.number, parser.note());
            }
            Origin origin =
                    new Origin(
                            in.file(),
                            line.number,
                            chain,
                            parser.comment(),
                            line.text,
                            line.counters);
            for (Effect effect : parser.effects()) {
                Condition condition = parser.condition(effect);
                PolicyRule rule = new PolicyRule(origin, condition, effect, parser.action());
                rules.add(rule);
                if (parser.untracks()) {
                    of.untracking.add(rule);
                }
                Translation translation = parser.translation();
                if (translation != null) {
                    of.translations.put(rule, translation);
                }
            }
        }
    }
}
