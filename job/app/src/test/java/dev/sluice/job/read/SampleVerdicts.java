package dev.sluice.job.read;

import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.PacketField;
import dev.sluice.schemas.codec.Verdict;
import dev.sluice.schemas.codec.Verdict.EarlierRule;
import dev.sluice.schemas.codec.VerdictBlock;
import dev.sluice.schemas.codec.VerdictOutcome;
import dev.sluice.schemas.codec.VerdictStatus;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import dev.sluice.schemas.testing.VerdictBlocks;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Made verdicts of versions 1 and 2 of a history, in both forms. */
final class SampleVerdicts {
    private SampleVerdicts() {}

    /**
     * Packets 1 to 4 of a shard: TCP, UDP and IPv6, judged by two versions, the last one by the
     * default action.
     */
    static VerdictBlock block(String history, long telnet, long udp) {
        int v4 = Field.IP_VERSION.place(Field.VERSION_4) | Field.PORTS_PRESENT.place(1);
        int v6 = Field.IP_VERSION.place(Field.VERSION_6);
        int[] ip = {
            v4 | Field.IP_PROTO.place(6), v4 | Field.IP_PROTO.place(6),
            v4 | Field.IP_PROTO.place(17), v6 | Field.IP_PROTO.place(58)
        };
        List<Column> fields = new ArrayList<>();
        for (int w : new int[] {0, 1, 2, 3, 11, 12, 13, 14, 15, 16, 17, 18}) {
            int[] words = new int[4];
            switch (w) {
                case HeaderWord.IP -> words = ip;
                case HeaderWord.IPV4_SRC ->
                        words = new int[] {0x0a010203, 0x0a010204, 0x0a020304, 0};
                case HeaderWord.IPV4_DST -> words = new int[] {0x0a630001, 0x0a630001, -1, 0};
                case HeaderWord.PORTS ->
                        words = new int[] {40000 << 16 | 23, 40001 << 16 | 23, 53 << 16 | 53, 0};
                case HeaderWord.IPV6_SRC -> words = new int[] {0, 0, 0, 0x20010db8};
                case HeaderWord.IPV6_DST -> words = new int[] {0, 0, 0, 0xfe800000};
                default -> {}
            }
            fields.add(Column.ofWords(w, words, 0, 4));
        }
        fields.add(Column.ofWords(Column.FRAME_LENGTH, new int[] {60, 61, 99, 1500}, 0, 4));
        fields.add(Column.ofWords(Column.EARLIER, new int[] {0, 0, 1, 0}, 0, 4));
        return VerdictBlocks.of(
                "cap",
                0,
                5,
                2,
                history,
                4,
                new long[] {telnet, udp},
                List.of(),
                Column.ofLongs(Column.PACKET, new long[] {1, 2, 3, 4}, 0, 4),
                Column.ofLongs(Column.TIME_NS, new long[] {10, 20, 30, Column.NO_TIME}, 0, 4),
                Column.ofWords(Column.RULE, new int[] {1, 1, 2, 0}, 0, 4),
                Column.ofLongs(Column.VERSION, new long[] {1, 2, 2, 2}, 0, 4),
                Column.ofWords(Column.STATUS, new int[] {0, VerdictStatus.LATE.code(), 0, 0}, 0, 4),
                fields);
    }

    /** Packet 5, in a message of its own. */
    static Verdict single(String history, long ip) {
        return new Verdict(
                "cap",
                0,
                5,
                50,
                ip,
                3,
                50,
                "NORMAL",
                2,
                history,
                VerdictStatus.OK,
                Map.of(PacketField.IP_SRC, ByteBuffer.wrap(new byte[] {10, 2, 3, 4})),
                List.of(new EarlierRule(7, 8, "RETURN"), new EarlierRule(8, 9, "NORMAL")),
                VerdictOutcome.DEPENDS,
                "--assume new");
    }

    /** A packet that version 1 of a history judges, by a rule or by none. */
    static VerdictBlock one(long packet, String history, List<Column> fields, long... rules) {
        return VerdictBlocks.of(
                "cap",
                0,
                5,
                1,
                history,
                1,
                rules,
                List.of(),
                new Column(Column.PACKET, packet, 0, new byte[0]),
                null,
                new Column(Column.RULE, rules.length, 0, new byte[0]),
                null,
                null,
                fields);
    }
}
