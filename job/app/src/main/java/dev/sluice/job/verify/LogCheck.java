package dev.sluice.job.verify;

import dev.sluice.job.table.RowsOut;
import dev.sluice.policy.io.Amount;
import dev.sluice.policy.logs.LogFinding;
import dev.sluice.policy.logs.LogFinding.Kind;
import dev.sluice.policy.logs.LogVerifier;
import dev.sluice.policy.logs.LoggedPacket;
import dev.sluice.policy.model.PolicyRule;
import dev.sluice.policy.questions.PacketWords;
import dev.sluice.schemas.header.Field;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** Check of a log by a policy: a row a finding, and sentences about all. Used once. */
public final class LogCheck {
    /** Fields that say little about a packet, and that its words leave out. */
    private static final List<Field> SILENT =
            List.of(Field.ETH_SRC, Field.ETH_DST, Field.IP_ID, Field.MARK);

    private final String name;
    private final DeviceLog log;
    private final LogVerifier verifier;
    private final Map<Kind, Long> counts = new EnumMap<>(Kind.class);
    private long most;
    private long listed;

    /**
     * A check.
     *
     * @param name the log's name
     */
    public LogCheck(String name, DeviceLog log, LogVerifier verifier) {
        this.name = name;
        this.log = log;
        this.verifier = verifier;
    }

    /**
     * Reads the log.
     *
     * @param all whether packets that agree or depend have rows, too
     * @param top most rows; further findings are counted
     * @param each takes the finding of each packet
     */
    public void run(
            RowsOut<FindingTable.Row> rows, boolean all, long top, Consumer<LogFinding> each) {
        most = top;
        log.read(
                (line, packet) -> {
                    LogFinding finding = verifier.verify(packet);
                    counts.merge(finding.kind(), 1L, Long::sum);
                    each.accept(finding);
                    boolean listable = all || finding.kind().isDifference();
                    listed += listable ? 1 : 0;
                    return !listable
                            || listed > most
                            || rows.row(new FindingTable.Row(line, finding, words(packet)));
                });
        rows.flush();
    }

    private String words(LoggedPacket packet) {
        int[] header = packet.header().clone();
        for (Field field : SILENT) {
            boolean isMarked = field.equals(Field.MARK) && header[field.word()] != 0;
            Field there = field.present();
            if (there != null && !isMarked) {
                for (int word = 0; word < field.words(); word++) {
                    header[field.word() + word] = 0;
                }
                header[there.word()] &= ~there.maskInWord();
            }
        }
        String in = packet.in();
        String out = packet.out();
        return PacketWords.of(header, verifier.asked())
                + (in == null || in.isEmpty() ? "" : " in " + in)
                + (out == null || out.isEmpty() ? "" : " out " + out);
    }

    /** Sentences about prefixes that several rules have. */
    public List<String> ambiguous() {
        List<String> said = new ArrayList<>();
        verifier.logging()
                .forEach(
                        (prefix, rules) -> {
                            if (rules.size() > 1) {
                                said.add(
                                        "the prefix '%s' is that of %s, lines %s: a packet agrees if it reaches one of them"
                                                .formatted(
                                                        prefix,
                                                        Amount.of(rules.size(), "rule"),
                                                        lines(rules)));
                            }
                        });
        return said;
    }

    private static String lines(List<PolicyRule> rules) {
        return rules.stream()
                .map(rule -> String.valueOf(rule.origin().line()))
                .collect(Collectors.joining(", "));
    }

    /** Sentences about the log: reasons why packets cannot be judged, and counts. */
    public List<String> report() {
        List<String> said = new ArrayList<>();
        log.unread()
                .forEach(
                        (reason, of) -> {
                            String more = " (and %,d more)".formatted(of.packets() - 1);
                            said.add(
                                    "%s:%d: %s%s"
                                            .formatted(
                                                    name,
                                                    of.firstLine(),
                                                    reason,
                                                    of.packets() == 1 ? "" : more));
                        });
        if (log.end() != null && !log.end().isClean()) {
            said.add(log.end().describeClassified(name));
        }
        long leftOut = log.packets() - counts.values().stream().mapToLong(Long::longValue).sum();
        String lines = Amount.of(log.lines(), "line");
        said.add(
                counts.isEmpty()
                        ? "%s: %s, no packet to compare; lines that netfilter logs have IN=, OUT=, SRC= and PROTO="
                                .formatted(name, lines)
                        : "%s in %s: %s%s"
                                .formatted(
                                        Amount.of(log.packets(), "logged packet"),
                                        lines,
                                        counts.entrySet().stream()
                                                .map(LogCheck::words)
                                                .collect(Collectors.joining(", ")),
                                        leftOut == 0
                                                ? ""
                                                : "; %,d left out, for the reasons above"
                                                        .formatted(leftOut)));
        if (listed > most) {
            said.add("%,d of %,d findings listed; raise --top for more".formatted(most, listed));
        }
        return said;
    }

    private static String words(Map.Entry<Kind, Long> count) {
        return "%,d %s".formatted(count.getValue(), count.getKey().verb());
    }

    /** Number of packets that the device logged. */
    long packets() {
        return log.packets();
    }

    /** Numbers of packets by kind of finding. */
    Map<Kind, Long> counts() {
        return Collections.unmodifiableMap(counts);
    }

    /** Packets that cannot be judged, by reason. */
    Map<String, DeviceLog.Unread> unread() {
        return log.unread();
    }

    /** Number of packets that can be judged. */
    long judged() {
        return counts.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Returns whether a capture was read of which packets depend. */
    public boolean isCaptureThatDepends() {
        return log.end() != null && counts.containsKey(Kind.DEPENDS);
    }

    /** Returns whether packets were compared, none differs, and the log was read to its end. */
    public boolean isClean() {
        return !counts.isEmpty()
                && (log.end() == null || log.end().isClean())
                && counts.keySet().stream().noneMatch(Kind::isDifference);
    }
}
