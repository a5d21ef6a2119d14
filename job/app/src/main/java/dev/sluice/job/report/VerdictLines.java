package dev.sluice.job.report;

import dev.sluice.job.replay.VerdictLine;
import dev.sluice.policy.RuleSyntaxException;
import dev.sluice.policy.TextFiles;
import dev.sluice.policy.io.InputFiles;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.PacketField;
import dev.sluice.schemas.codec.VerdictOutcome;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Verdict file, gzip'd or not, as {@code classify --verdicts OUT --fields 5-tuple} writes it: a
 * line of names, then a line a packet. Used once.
 */
public final class VerdictLines {
    private static final String BEGIN = "capture\tpacket\t";
    private static final String DEAD = "dead-letter";

    private final Path file;
    private final Map<String, Integer> columns = new HashMap<>();
    private long lines;
    private long deadLetters;
    private String[] cells = {};

    /** Receiver of packets. */
    public interface Receiver {
        /**
         * Takes a packet.
         *
         * @param line of the rule; 0: none matched
         * @param outcome null: the rules stand for themselves
         */
        void take(
                int line,
                String action,
                @Nullable VerdictOutcome outcome,
                PacketCounts.Fields fields,
                long length,
                long timeNs);
    }

    /** A file. */
    public VerdictLines(Path file) {
        this.file = file;
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
     * Reads the file.
     *
     * @param fields that are needed
     * @throws SluiceException if it cannot be read, lacks a field, or a line is no verdict
     */
    public void read(List<PacketField> fields, Receiver to) {
        try (BufferedReader in = TextFiles.open(file)) {
            String head = in.readLine();
            String[] names = head == null ? new String[0] : head.split("\t", -1);
            for (int i = 0; i < names.length; i++) {
                columns.put(names[i], i);
            }
            for (PacketField field : fields) {
                if (!columns.containsKey(VerdictLine.name(field))) {
                    throw new SluiceException(
                            "%s:1: has no column %s; write the file by sluice classify --verdicts OUT.tsv --fields 5-tuple"
                                    .formatted(file, VerdictLine.name(field)));
                }
            }
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                lines++;
                cells = line.split("\t", -1);
                take(names.length, to);
            }
        } catch (IOException e) {
            throw new SluiceException(TextFiles.describe("verdict file", file, e), e);
        }
    }

    private void take(int count, Receiver to) {
        if (cells.length != count) {
            throw bad("has %d cells, and line 1 has %d".formatted(cells.length, count));
        }
        if (cell("status").startsWith(DEAD)) {
            deadLetters++;
            return;
        }
        String outcome = cell("outcome");
        to.take(
                (int) number("rule", 0, Integer.MAX_VALUE),
                TextFiles.inUtf8(cell("action")),
                outcome.isEmpty() ? null : outcome(outcome),
                this::value,
                number("frame_length", 0, Integer.MAX_VALUE),
                time());
    }

    private VerdictOutcome outcome(String label) {
        for (VerdictOutcome outcome : VerdictOutcome.values()) {
            if (outcome.label().equals(label)) {
                return outcome;
            }
        }
        throw bad("'" + label + "' is no outcome");
    }

    private @Nullable Object value(PacketField field) {
        String text = cell(VerdictLine.name(field));
        if (text.isEmpty()) {
            return null;
        }
        if (field != PacketField.IP_SRC && field != PacketField.IP_DST) {
            return (int) number(VerdictLine.name(field), 0, Integer.MAX_VALUE);
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

    /** The time in ns; a nonsensical one that takes more than 64 bits counts as unknown. */
    private long time() {
        String text = cell("time_ns");
        return text.matches("-?[0-9]{19,30}") || text.isEmpty()
                ? text.length() == 19 ? number("time_ns", 0, Long.MAX_VALUE) : Column.NO_TIME
                : number("time_ns", 0, Long.MAX_VALUE);
    }

    private long number(String name, long otherwise, long most) {
        String text = cell(name);
        try {
            long number = text.isEmpty() ? otherwise : Long.parseLong(text);
            if (number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            throw bad("%s '%s' is no number".formatted(name, text));
        }
        throw bad("%s '%s' is too large".formatted(name, text));
    }

    private SluiceException bad(String what) {
        return new SluiceException(
                "%s:%d: %s; the file is no verdict file from here on, or is cut short"
                        .formatted(file, lines + 1, what));
    }

    /** Number of packets that were read. */
    public long packets() {
        return lines;
    }

    /** Number of those that could not be classified. */
    public long deadLetters() {
        return deadLetters;
    }
}
