package dev.sluice.job.report;

import dev.sluice.engine.rules.Rule;
import dev.sluice.job.UsageException;
import dev.sluice.job.replay.VerdictLine;
import dev.sluice.policy.RuleSyntaxException;
import dev.sluice.policy.TextFiles;
import dev.sluice.policy.io.InputFiles;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.policy.model.Outcome;
import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.PacketField;
import dev.sluice.schemas.codec.VerdictOutcome;
import java.io.BufferedReader;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Verdict files, gzip'd or not, as {@code classify --verdicts OUT --fields 5-tuple} writes them: a
 * line of names, then a line a packet. Packets that are chosen are counted. Not thread-safe.
 */
public final class VerdictLines {
    private static final String BEGIN = "capture\tpacket\t";
    private static final String DEAD = "dead-letter";

    /** Outcomes by their cells; NONE: rules stand for themselves. */
    private static final Map<String, VerdictOutcome> OUTCOMES =
            Arrays.stream(VerdictOutcome.values())
                    .collect(Collectors.toMap(VerdictOutcome::label, one -> one));

    private final PacketCounts<RuleLabel> counts;
    private final @Nullable String action;
    private final @Nullable VerdictOutcome outcome;
    private final Map<List<Object>, RuleLabel> rules = new HashMap<>();
    private final Map<String, Integer> columns = new HashMap<>();
    private String[] cells = {};
    private Path file = Path.of("");
    private long line;
    private long packets;
    private long deadLetters;
    private long depends;

    /**
     * Counts of files.
     *
     * @param action of the packets that are counted; null: any
     * @param outcome of theirs; null: any, and without an action those that are denied
     * @param texts rules that have texts, by their lines and actions
     */
    public VerdictLines(
            PacketCounts<RuleLabel> counts,
            @Nullable String action,
            @Nullable VerdictOutcome outcome,
            List<Rule> texts) {
        this.counts = counts;
        this.action = action;
        this.outcome = outcome;
        for (Rule rule : texts) {
            rules.putIfAbsent(List.of(rule.line(), rule.action()), RuleLabel.of(rule));
        }
    }

    /** Tells whether a file begins as a verdict file does; a pipe never does. */
    public static boolean isVerdicts(Path file) {
        if (InputFiles.isPipe(file)) {
            return false;
        }
        try (BufferedReader in = TextFiles.open(file)) {
            char[] begin = new char[BEGIN.length()];
            return in.read(begin) == begin.length && BEGIN.equals(new String(begin));
        } catch (IOException e) {
            return false; // whoever reads it as a capture says what it is
        }
    }

    /**
     * Counts the packets of a file.
     *
     * @throws SluiceException if it cannot be read, lacks a field, or a line is no verdict
     * @throws UsageException if an outcome is asked for, and a verdict has none
     */
    public void read(Path from) {
        file = from;
        line = 1;
        columns.clear();
        try (BufferedReader in = TextFiles.open(file)) {
            String head = in.readLine();
            String[] names = head == null ? new String[0] : head.split("\t", -1);
            for (int i = 0; i < names.length; i++) {
                columns.put(names[i], i);
            }
            for (PacketField field : PacketCounts.FIELDS) {
                if (!columns.containsKey(VerdictLine.name(field))) {
                    throw new SluiceException(
                            "%s:1: has no column %s; write the file by sluice classify --verdicts OUT.tsv --fields 5-tuple"
                                    .formatted(file, VerdictLine.name(field)));
                }
            }
            for (String text = in.readLine(); text != null; text = in.readLine()) {
                line++;
                packets++;
                cells = text.split("\t", -1);
                count(names.length);
            }
        } catch (IOException e) {
            throw new SluiceException(TextFiles.describe("verdict file", file, e), e);
        }
    }

    private void count(int names) {
        if (cells.length != names) {
            throw bad("has %d cells, and line 1 has %d".formatted(cells.length, names));
        }
        if (cell("status").startsWith(DEAD)) {
            deadLetters++;
            return;
        }
        String says = TextFiles.inUtf8(cell("action"));
        VerdictOutcome fate = OUTCOMES.get(cell("outcome"));
        if (fate == null) {
            throw bad("'%s' is no outcome".formatted(cell("outcome")));
        }
        if (outcome != null && fate == VerdictOutcome.NONE) {
            throw new UsageException(
                    "%s:%d: --outcome %s: the verdict has no outcome, which verdicts of policies alone have; leave out --outcome, or name an --action"
                            .formatted(file, line, outcome.label()));
        }
        depends += fate == VerdictOutcome.DEPENDS ? 1 : 0;
        if (isChosen(says, fate)) {
            int rule = number("rule");
            RuleLabel label = rules.get(List.<Object>of(rule, says));
            counts.add(
                    counts.rule(label == null ? new RuleLabel(rule, says, "") : label),
                    this::value,
                    number("frame_length"),
                    time());
        }
    }

    private boolean isChosen(String says, VerdictOutcome fate) {
        if (action == null && outcome == null) {
            return fate == VerdictOutcome.NONE ? Outcome.denies(says) : fate == VerdictOutcome.DENY;
        }
        return (action == null || action.equalsIgnoreCase(says))
                && (outcome == null || outcome == fate);
    }

    private @Nullable Object value(PacketField field) {
        String text = cell(VerdictLine.name(field));
        if (text.isEmpty()) {
            return null;
        }
        if (field != PacketField.IP_SRC && field != PacketField.IP_DST) {
            return number(VerdictLine.name(field));
        }
        try {
            return HostNames.address(text);
        } catch (RuleSyntaxException e) {
            throw bad("'" + text + "' is no address");
        }
    }

    private String cell(String name) {
        Integer at = columns.get(name);
        return at == null ? "" : cells[at];
    }

    /** The time in ns; one that takes more than 64 bits counts as unknown. */
    private long time() {
        String text = cell("time_ns");
        try {
            BigInteger time = text.isEmpty() ? null : new BigInteger(text);
            return time != null && time.bitLength() < 64 ? time.longValue() : Column.NO_TIME;
        } catch (NumberFormatException e) {
            throw bad("time_ns '" + text + "' is no number");
        }
    }

    /** A number of 31 bits; 0: the cell is empty. */
    private int number(String name) {
        String text = cell(name);
        try {
            int number = text.isEmpty() ? 0 : Integer.parseInt(text);
            if (number >= 0) {
                return number;
            }
        } catch (NumberFormatException e) {
            throw bad("%s '%s' is no number of 31 bits".formatted(name, text));
        }
        throw bad("%s '%s' is negative".formatted(name, text));
    }

    private SluiceException bad(String what) {
        return new SluiceException(
                "%s:%d: %s; the file is no verdict file from here on, or is cut short"
                        .formatted(file, line, what));
    }

    /** Number of packets that were read. */
    public long packets() {
        return packets;
    }

    /** Number of those that could not be classified. */
    public long deadLetters() {
        return deadLetters;
    }

    /** Number of packets whose outcome depends. */
    public long depends() {
        return depends;
    }
}
