package dev.sluice.policy.cisco;

import dev.sluice.policy.RuleReading;
import dev.sluice.policy.RuleSyntaxException;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.Counters;
import dev.sluice.policy.model.Effect;
import dev.sluice.policy.model.Origin;
import dev.sluice.policy.model.Outcome;
import dev.sluice.policy.model.PolicyRule;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.schemas.header.Field;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Access list as it grows line by line, and its rules once the whole text is known. */
final class AccessList {
    static final Effect PERMIT = new Effect.Decide(Outcome.PERMIT);
    static final Effect DENY = new Effect.Decide(Outcome.DENY);
    private static final int STEP = 10;

    /**
     * Entry in the words of its line.
     *
     * @param sequence number by which entries are ordered
     * @param words the words from {@code permit} or {@code deny} on
     * @param comment the remarks before it
     * @param open truth of being skipped: it may permit or deny some packets
     */
    private record Entry(long sequence, LineWords words, String comment, boolean open) {}

    final String name;
    final boolean v6;
    final boolean standard;

    /** Line of its header; 0: its entries have none. */
    final int line;

    /** Truth of being the output of a command, which prints names of service groups alone. */
    boolean shown;

    private final List<Entry> entries = new ArrayList<>();
    private final List<String> remarks = new ArrayList<>();
    private @Nullable Boolean laterFragments;
    private long lastLine;
    private long most;

    AccessList(String name, boolean v6, boolean standard, int line) {
        this.name = name;
        this.v6 = v6;
        this.standard = standard;
        this.line = line;
    }

    boolean isEmpty() {
        return entries.isEmpty();
    }

    /** Takes a remark for the next entry. */
    void remark(String text) {
        remarks.add(text);
    }

    /** Takes what becomes of later fragments that no entry takes: {@code fragments permit-all}. */
    void fragments(boolean permit) {
        laterFragments = permit;
    }

    /**
     * Takes an entry.
     *
     * @param sequence its number; negative: it has none
     * @param words the words from the action on
     */
    void add(long sequence, LineWords words) throws RuleSyntaxException {
        for (Entry one : sequence < 0 || sequence > most ? List.<Entry>of() : entries) {
            if (one.sequence == sequence) {
                throw new RuleSyntaxException(
                        1,
                        "" + sequence,
                        "is the number of the entry on line %d, too; give each its own"
                                .formatted(one.words.line));
            }
        }
        put(sequence < 0 ? most + STEP : sequence, words, false);
    }

    private void put(long number, LineWords words, boolean open) {
        entries.add(new Entry(number, words, String.join(" ", remarks), open));
        most = Math.max(most, number);
        remarks.clear();
    }

    /** Takes an entry of a number, or of the end, that a user skips. */
    void skip(long sequence, LineWords words) {
        put(sequence < 0 ? most + STEP : sequence, words, true);
    }

    /**
     * Counts a line as an ASA does: what stands there or behind it moves on.
     *
     * @param at number of the line; negative: behind all others
     * @return the number
     */
    long line(long at) {
        long number = at < 0 ? lastLine + 1 : at;
        if (number <= lastLine) {
            entries.replaceAll(
                    one ->
                            one.sequence < number
                                    ? one
                                    : new Entry(
                                            one.sequence + 1, one.words, one.comment, one.open));
            lastLine++;
        }
        lastLine = Math.max(lastLine, number);
        return number;
    }

    /** Takes an entry of a line of an ASA, which may have several. */
    void addAt(long number, LineWords words) {
        put(number, words, false);
    }

    /** Removes the last entry, whose remarks become those of the next one. */
    void removeLast() {
        Entry last = entries.remove(entries.size() - 1);
        if (!last.comment.isEmpty()) {
            remarks.add(last.comment);
        }
    }

    /** Removes the entry of a number, or of the words that come next. */
    void remove(LineWords words) throws RuleSyntaxException {
        boolean found;
        if (words.isNumber()) {
            long number = words.number(Integer.MAX_VALUE);
            found = entries.removeIf(one -> one.sequence == number);
        } else {
            String text = words.rest();
            found = entries.removeIf(one -> one.words.behind().rest().equals(text));
        }
        most = entries.stream().mapToLong(Entry::sequence).max().orElse(0);
        if (!found) {
            throw words.refused("names no entry of list " + name + "; leave the line out");
        }
    }

    /** The rules of its entries in order; defects are reported, or skipped with a warning. */
    List<PolicyRule> rules(ObjectTable objects, RuleReading in, boolean skip) {
        List<PolicyRule> rules = new ArrayList<>();
        entries.sort(Comparator.comparingLong(Entry::sequence));
        for (Entry entry : entries) {
            LineWords words = entry.words.behind();
            if (entry.open) {
                Condition some = new Condition.Unknown(words.rest());
                for (boolean permits : new boolean[] {true, false}) {
                    rules.add(rule(in, entry, some, permits, null));
                }
                continue;
            }
            boolean permit = words.take("permit", 1);
            if (!permit) {
                words.take("deny", 1);
            }
            LineWords rest = words.behind();
            Condition condition;
            Counters counters = null;
            try {
                EntryReader reader = new EntryReader(objects, words, permit, v6, shown);
                condition = standard ? reader.standard() : reader.extended();
                Long packets = EntryReader.matches(words);
                counters = packets == null ? null : new Counters(packets, 0);
            } catch (RuleSyntaxException e) {
                if (!skip) {
                    in.defect(words.line, e);
                    continue;
                }
                in.warn(words.line, "skipped: " + e.getMessage());
                condition = new Condition.Unknown(rest.rest());
            }
            rules.add(rule(in, entry, condition, permit, counters));
        }
        return rules;
    }

    private PolicyRule rule(
            RuleReading in,
            Entry of,
            Condition condition,
            boolean permit,
            @Nullable Counters counters) {
        Origin origin =
                new Origin(in.file(), of.words.line, name, of.comment, of.words.text(), counters);
        return new PolicyRule(
                origin, condition, permit ? PERMIT : DENY, permit ? "permit" : "deny");
    }

    /** A rule that stands in no line of its own. */
    PolicyRule general(RuleReading in, String text, Condition condition, boolean permit) {
        return new PolicyRule(
                new Origin(in.file(), line, name, "", text, null),
                condition,
                permit ? PERMIT : DENY,
                permit ? "permit" : "deny");
    }

    /** The rules behind those of its entries, the last of which takes all packets. */
    List<PolicyRule> implicit(CiscoDialect dialect, RuleReading in, List<PolicyRule> before) {
        List<PolicyRule> rules = new ArrayList<>();
        if (laterFragments != null) {
            rules.add(
                    general(
                            in,
                            laterFragments ? "fragments permit-all" : "fragments deny-all",
                            ListService.LATER,
                            laterFragments));
        }
        if (isEmpty() && dialect != CiscoDialect.ASA) {
            rules.add(
                    general(
                            in,
                            "list " + name + " is empty",
                            new Condition.Unknown("a list without entries"),
                            true));
        }
        if (v6 && before.stream().noneMatch(one -> one.condition().equals(Condition.ALWAYS))) {
            Condition found =
                    Condition.all(
                            Condition.is(Field.IP_PROTO, CiscoNames.ICMP6),
                            new Condition.In(
                                    Field.SRC_PORT,
                                    ValueSet.of(dialect == CiscoDialect.NXOS ? 133 : 135, 136)));
            rules.add(
                    general(
                            in,
                            "neighbour discovery, which list %s implies".formatted(name),
                            dialect == CiscoDialect.EOS
                                    ? Condition.all(
                                            found,
                                            new Condition.Unknown(
                                                    "neighbour discovery at the end of a list of EOS"))
                                    : found,
                            true));
        }
        rules.add(
                general(in, "the end of list %s denies".formatted(name), Condition.ALWAYS, false));
        return rules;
    }
}
