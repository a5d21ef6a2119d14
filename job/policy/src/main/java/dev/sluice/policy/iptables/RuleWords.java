package dev.sluice.policy.iptables;

import dev.sluice.policy.RuleSyntaxException;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.Host;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The words of a rule while they are read, and the conditions that were read. */
final class RuleWords {
    private final List<Word> words;
    private final List<Condition> conditions = new ArrayList<>();

    /** Modules of unknown conditions, each with its words. */
    private final Map<String, StringBuilder> unknown = new LinkedHashMap<>();

    /** True if the last {@code -m conntrack} has a {@code --ctstate}. */
    private boolean asksState;

    private int at;
    private @Nullable String note;

    /**
     * A rule of which no word is read yet.
     *
     * @param from number of the first word to read
     */
    RuleWords(List<Word> words, int from) {
        this.words = new ArrayList<>(words);
        this.at = from;
    }

    /** Notes something that the user should know. */
    void note(String text) {
        note = text;
    }

    /** Note to the user; null: none. */
    @Nullable String note() {
        return note;
    }

    boolean atEnd() {
        return at >= words.size();
    }

    /** The next word. */
    Word next(String expected) throws RuleSyntaxException {
        if (atEnd()) {
            Word last = words.get(words.size() - 1);
            throw last.refused(
                    "is the end of the rule, which lacks " + expected + " there; add it");
        }
        return words.get(at++);
    }

    /** The next option; of {@code --option=argument} the argument stays. */
    Word option() throws RuleSyntaxException {
        Word option = next("an option");
        int equals = option.text().startsWith("--") ? option.text().indexOf('=') : -1;
        if (equals < 0) {
            return option;
        }
        String value = option.text().substring(equals + 1);
        words.set(--at, new Word(value, option.column() + equals + 1));
        return new Word(option.text().substring(0, equals), option.column());
    }

    /** Takes a word if it comes next. */
    boolean take(String text) {
        if (!atEnd() && words.get(at).is(text)) {
            at++;
            return true;
        }
        return false;
    }

    /** Takes a {@code !} before an argument, as old versions write it, not before an option. */
    boolean takeNegation() {
        return at + 1 < words.size() && !words.get(at + 1).text().startsWith("-") && take("!");
    }

    /** Returns whether an option with some begin stands anywhere in the rule. */
    boolean hasBegin(String option) {
        return words.stream().anyMatch(word -> word.text().startsWith(option));
    }

    /** The last word that was read and all behind it. */
    List<Word> rest() {
        return words.subList(Math.max(0, at - 1), words.size());
    }

    /** A number, or a number and a mask behind a slash. */
    static long[] masked(Word word, long most) throws RuleSyntaxException {
        int slash = word.text().indexOf('/');
        return new long[] {
            (slash < 0 ? word : word.upTo(slash)).number(most),
            slash < 0 ? most : word.from(slash + 1).number(most)
        };
    }

    /** Adds a condition, once. */
    void add(Condition condition, boolean negated) {
        Condition added = negated ? Condition.not(condition) : condition;
        if (!conditions.contains(added)) {
            conditions.add(added);
        }
    }

    /** Adds words to the unknown condition of a module. */
    void unknown(String module, String more) {
        unknown.computeIfAbsent(module, name -> new StringBuilder("-m " + name))
                .append(more.isEmpty() ? "" : " " + more);
    }

    /** Adds the conditions of modules that are known by all of their words, or unknown. */
    void end(DumpFacts facts) {
        unknown.forEach(
                (module, text) -> {
                    if (!text.toString().matches(ALWAYS)) {
                        String words = text.toString();
                        conditions.add(
                                switch (module) {
                                    case "time" -> TimeMatch.of(words, facts.zone());
                                    case "rpfilter" -> new Addresses(facts.v6()).reversePath(words);
                                    case "physdev" -> physdev(words, facts.host());
                                    case "conntrack" -> ConnectionMatch.of(words, asksState);
                                    default -> new Condition.Unknown(words);
                                });
                    }
                });
    }

    /** Begins a {@code -m conntrack}, which the kernel asks beside one before it. */
    void beginConnection() {
        StringBuilder before = unknown.remove("conntrack");
        if (before != null) {
            conditions.add(ConnectionMatch.of(before.toString(), asksState));
        }
        asksState = false;
    }

    /** Notes that the last {@code -m conntrack} has a {@code --ctstate}. */
    void asksState() {
        asksState = true;
    }

    /**
     * The condition of {@code -m physdev}. Of a packet that no bridge brought the kernel says that
     * it has no such device: all options that are negated hold, and no other one.
     */
    private static Condition physdev(String words, @Nullable Host host) {
        Condition unknown = new Condition.Unknown(words);
        if (host == null || host.links().isEmpty()) {
            return unknown;
        }
        List<Condition> bridges = new ArrayList<>();
        host.bridges().forEach(name -> bridges.add(new Condition.Interface(true, name)));
        Condition bridged = new Condition.Any(bridges);
        boolean negated = words.split(" --physdev-").length == words.split(" ! --physdev-").length;
        return negated
                ? Condition.any(Condition.not(bridged), unknown)
                : Condition.all(bridged, unknown);
    }

    /** Matches of every packet, which only note its address. */
    private static final String ALWAYS =
            "-m recent --set( --name \\S+| --rsource| --rdest| --mask \\S+)*";

    /** The conditions, all together. */
    Condition condition() {
        return conditions.size() == 1 ? conditions.get(0) : new Condition.All(conditions);
    }
}
