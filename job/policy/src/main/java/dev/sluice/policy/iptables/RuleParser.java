package dev.sluice.policy.iptables;

import dev.sluice.policy.NearestWord;
import dev.sluice.policy.RuleSyntaxException;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.Effect;
import dev.sluice.policy.model.Outcome;
import dev.sluice.policy.model.Translation;
import dev.sluice.schemas.header.Field;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Parser of the words behind {@code -A CHAIN}: conditions, and a target at most. Used once. */
final class RuleParser {
    private static final Map<String, String> SHORT =
            Map.ofEntries(
                    Map.entry("--source", "-s"),
                    Map.entry("--src", "-s"),
                    Map.entry("--destination", "-d"),
                    Map.entry("--dst", "-d"),
                    Map.entry("--protocol", "-p"),
                    Map.entry("--proto", "-p"),
                    Map.entry("--in-interface", "-i"),
                    Map.entry("--out-interface", "-o"),
                    Map.entry("--fragment", "-f"),
                    Map.entry("--match", "-m"),
                    Map.entry("--jump", "-j"),
                    Map.entry("--goto", "-g"),
                    Map.entry("--set-counters", "-c"));

    /** Options that a rule has once. */
    private static final Set<String> ONCE = Set.of("-s", "-d", "-p", "-i", "-o", "-f");

    /** Chains in which packets have no interface of a side. */
    private static final Map<String, Set<String>> NOT_IN =
            Map.of(
                    "-i", Set.of("OUTPUT", "POSTROUTING"),
                    "-o", Set.of("PREROUTING", "INPUT"));

    private static final int MOST_INTERFACE = 15;
    private static final int TCP = 6;

    /** Protocols of which targets change ports. */
    private static final Set<Integer> WITH_PORTS = Set.of(TCP, 17, 33, 132);

    /** A destination with a port behind an address of IPv4, or one of IPv6 in brackets. */
    private static final String PORT_BEHIND = "[0-9.-]*:[0-9].*";

    private static final String PORT_BEHIND6 = "\\[.*\\](-\\[.*\\])?:.*";

    /** Packets that a proxy answers in place of the host behind it: SYN or ACK alone. */
    private static final Condition SYN_OR_ACK =
            Condition.any(
                    new Condition.Bits(Field.TCP_FLAGS, 0x02, 0x17),
                    new Condition.Bits(Field.TCP_FLAGS, 0x10, 0x17));

    private final RuleWords draft;
    private final Set<String> chains;
    private final boolean v6;
    private final DumpFacts facts;
    private final MatchParser matches;
    private @Nullable Word target;
    private boolean goes;
    private Map<String, Integer> targetOptions = Map.of();
    private boolean untracks;

    /** The address or port that the target gives packets; null: it states none. */
    private @Nullable Word destination;

    /** The mark that the target gives packets; null: it gives none, or nobody asks for it. */
    private final Effect.@Nullable Mark mark;

    /** True if a rule of the file asks for marks. */
    private final boolean marksCount;

    private final boolean setsMarkByMatch;

    /** The chain of the kernel that the rule stands in; empty: a chain of the user. */
    private String chain = "";

    private final Set<String> given = new HashSet<>();

    /** Options of the target. */
    private final Set<String> ofTarget = new HashSet<>();

    private boolean rejectsTcp;

    /** True if nobody knows the effect of the target. */
    private boolean undecided;

    /**
     * A parser.
     *
     * @param words the rule's words
     * @param from number of the first word behind the chain
     * @param chains the user's chains of the table
     */
    RuleParser(List<Word> words, int from, Set<String> chains, DumpFacts facts) {
        this.draft = new RuleWords(words, from);
        this.chains = chains;
        this.v6 = facts.v6();
        this.facts = facts;
        this.mark = facts.marks() ? MarkBits.change(targetOf(words), words) : null;
        this.marksCount = facts.marks();
        this.setsMarkByMatch = marksCount && MarkBits.isSetByMatch(words);
        this.matches = new MatchParser(draft, facts);
    }

    /** Names the chain of the kernel that the rule stands in; empty: a chain of the user. */
    void standsIn(String chain) {
        this.chain = chain;
    }

    /** Reads all words. */
    void read() throws RuleSyntaxException {
        while (!draft.atEnd()) {
            boolean negated = draft.take("!");
            Word option = draft.option();
            if (draft.takeNegation()) {
                throw option.refused(
                        "has its ! behind it, which iptables no longer takes; write ! before it");
            }
            read(option, negated);
        }
        draft.end(facts);
        matches.end();
        if (target != null && !chains.contains(target.text())) {
            ArgumentForms.requireAll(target.text(), ofTarget, target);
            boolean ports =
                    ofTarget.contains("--to-ports")
                            || destination != null
                                    && destination.text().matches(v6 ? PORT_BEHIND6 : PORT_BEHIND);
            if (ports && !matches.hasProtocol(WITH_PORTS)) {
                throw target.refused("gives packets a port; write -p tcp or -p udp before it");
            }
            if (ofTarget.contains("--reject-with")
                    && rejectsTcp
                    && !matches.hasProtocol(Set.of(TCP))) {
                throw target.refused("resets TCP connections; write -p tcp before it");
            }
        }
    }

    private void read(Word option, boolean negated) throws RuleSyntaxException {
        String name = SHORT.getOrDefault(option.text(), option.text());
        if (ONCE.contains(name) && !given.add(name)) {
            throw option.refused("is given a second time; keep one");
        }
        if (NOT_IN.getOrDefault(name, Set.of()).contains(chain)) {
            throw option.refused("is not known in chain %s; remove it".formatted(chain));
        }
        switch (name) {
            case "-s" -> address(true, negated);
            case "-d" -> address(false, negated);
            case "-p" -> matches.protocol(draft.next("a protocol"), negated);
            case "-i" -> draft.add(interfaceOf(true), negated);
            case "-o" -> draft.add(interfaceOf(false), negated);
            case "-f" -> {
                if (v6) {
                    throw option.refused("is no option of ip6tables; write -m frag");
                }
                draft.add(new Condition.Bits(Field.FRAGMENT, 2, 2), negated);
            }
            case "-m" -> {
                requirePlain(option, negated);
                matches.load(draft.next("a match"));
            }
            case "-j", "-g" -> {
                requirePlain(option, negated);
                target(option);
            }
            case "-c" -> {
                draft.next("packets");
                draft.next("bytes");
            }
            default -> {
                Integer arguments = targetOptions.get(option.text());
                if (arguments == null || negated) {
                    matches.read(option, negated);
                } else {
                    if (!ofTarget.add(option.text())) {
                        throw option.refused("is given a second time; keep one");
                    }
                    untracks |= option.is("--notrack");
                    for (int i = 0; i < arguments; i++) {
                        Word argument = draft.next("an argument of " + option.text());
                        TargetValues.require(option, argument, v6);
                        ArgumentForms.require(action(), option.text(), argument);
                        destination = option.text().startsWith("--to-") ? argument : destination;
                        rejectsTcp |= argument.text().startsWith("tcp-r");
                    }
                }
            }
        }
    }

    private static void requirePlain(Word option, boolean negated) throws RuleSyntaxException {
        if (negated) {
            throw option.refused("cannot be negated; remove the !");
        }
    }

    private void address(boolean source, boolean negated) throws RuleSyntaxException {
        Word word = draft.next("an address");
        if (negated && word.text().indexOf(',') >= 0) {
            throw word.refused("is a list, which cannot be negated; write an ipset");
        }
        draft.add(new Addresses(v6).list(source, word), negated);
    }

    private Condition interfaceOf(boolean incoming) throws RuleSyntaxException {
        Word word = draft.next("an interface");
        if (word.text().isEmpty() || word.text().length() > MOST_INTERFACE) {
            throw word.refused("is no name of an interface; write 1 to 15 characters");
        }
        return word.is("+") // each name, also that of a packet without an interface
                ? Condition.ALWAYS
                : new Condition.Interface(incoming, word.text());
    }

    private void target(Word option) throws RuleSyntaxException {
        Word name = draft.next("a target");
        if (target != null) {
            throw name.refused("is a second target; keep one");
        }
        target = name;
        goes = !option.is("-j") && !option.is("--jump");
        if (chains.contains(name.text())) {
            return;
        }
        Map<String, Integer> options = Modules.target(name.text());
        if (options == null || goes) {
            Stream<String> known =
                    Stream.concat(chains.stream(), goes ? Stream.of() : Modules.targets());
            String write =
                    NearestWord.of(name.text(), known)
                            .map(of -> "write " + of + ", or ")
                            .orElse("");
            throw name.refused(
                    "is neither a chain of this table nor a target that Sluice knows; %sdeclare the chain by a line :%s - [0:0]"
                            .formatted(write, name.text()),
                    "target " + name.text());
        }
        targetOptions = options;
        untracks = name.is("NOTRACK");
    }

    /** Goes on behind words that are not understood: the rule then meets packets or not. */
    void skip() {
        List<Word> rest = draft.rest();
        StringBuilder text = new StringBuilder("skipped:");
        rest.forEach(word -> text.append(' ').append(word.text()));
        draft.add(new Condition.Unknown(text.toString()), false);
        for (int i = 0; i + 1 < rest.size() && target == null; i++) {
            if (isJump(rest.get(i))) {
                target = rest.get(i + 1);
                goes = SHORT.getOrDefault(rest.get(i).text(), rest.get(i).text()).equals("-g");
            }
        }
        undecided =
                target != null
                        && !chains.contains(target.text())
                        && Modules.target(target.text()) == null;
    }

    private static String targetOf(List<Word> words) {
        for (int i = 0; i + 1 < words.size(); i++) {
            if (isJump(words.get(i))) {
                return words.get(i + 1).text();
            }
        }
        return "";
    }

    static boolean isMatch(Word word) {
        return word.is("-m") || word.is("--match");
    }

    static boolean isJump(Word word) {
        String option = SHORT.getOrDefault(word.text(), word.text());
        return option.equals("-j") || option.equals("-g");
    }

    /** The effects of the rule, the first of which counts whose {@link #condition} holds. */
    List<Effect> effects() {
        List<Effect> effects = new ArrayList<>();
        if (setsMarkByMatch || undecided && marksCount) {
            effects.add(MarkBits.LOSS);
        } else if (asksProgram() && mark != null) {
            effects.add(mark); // of packets that go on
        }
        if (undecided || asksProgram()) {
            effects.add(new Effect.Decide(Outcome.PERMIT));
            effects.add(new Effect.Decide(Outcome.DENY));
        } else {
            effects.add(effect());
        }
        return effects;
    }

    /** The condition of an effect. */
    Condition condition(Effect effect) {
        Condition condition = draft.condition();
        if (setsMarkByMatch && effect.equals(MarkBits.LOSS)) {
            return Condition.ALWAYS;
        }
        if (action().equals("SYNPROXY")) {
            return Condition.all(condition, SYN_OR_ACK);
        }
        return asksProgram() && effect.equals(new Effect.Decide(Outcome.PERMIT))
                ? Condition.all(condition, new Condition.Unknown("-j " + action()))
                : condition;
    }

    String comment() {
        return matches.comment();
    }

    /** Note to the user on the rule; null: none. */
    @Nullable String note() {
        return draft.note();
    }

    /** The translation of destinations by the rule; null: it has none. */
    @Nullable Translation translation() {
        return Destinations.translation(action(), destination, v6);
    }

    /** Returns whether connection tracking skips the packets of the rule. */
    boolean untracks() {
        return untracks;
    }

    /** The target's name, or empty. */
    String action() {
        return target == null ? "" : target.text();
    }

    /** Returns whether a program beside the kernel decides. */
    private boolean asksProgram() {
        return Set.of("QUEUE", "NFQUEUE", "TPROXY").contains(action());
    }

    /** The effect; of packets that a program decides about, the denial. */
    private Effect effect() {
        if (target == null) {
            return new Effect.Continue();
        }
        String name = target.text();
        if (chains.contains(name)) {
            return goes ? new Effect.Goto(name) : new Effect.Jump(name);
        }
        return switch (name) {
            case "ACCEPT" -> new Effect.Decide(Outcome.PERMIT);
            case "DROP", "REJECT", "QUEUE", "NFQUEUE", "TPROXY", "SYNPROXY" ->
                    new Effect.Decide(Outcome.DENY);
            case "RETURN" -> new Effect.Return();
            case "DNAT", "SNAT", "MASQUERADE", "REDIRECT", "NETMAP" ->
                    new Effect.Decide(Outcome.PERMIT);
            default -> mark == null ? new Effect.Continue() : mark;
        };
    }
}
