package dev.sluice.policy.explain;

import dev.sluice.policy.model.AskedFacts;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.policy.questions.PacketWords;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Packet to be judged.
 *
 * @param header in {@code HeaderWord}s; not to be changed
 * @param state the state of its connection; null: as is assumed of all packets
 * @param in the name of the interface that it came in by, as the user wrote it; empty: not written
 * @param out as {@code in}, of the interface that it leaves by
 */
public record JudgedPacket(int[] header, @Nullable ConnectionState state, String in, String out) {
    /** A packet whose interfaces its header states alone. */
    public JudgedPacket(int[] header, @Nullable ConnectionState state) {
        this(header, state, "", "");
    }

    /** Another header under the same names, and a state. */
    JudgedPacket with(int[] other, @Nullable ConnectionState of) {
        return new JudgedPacket(other, of, in, out);
    }

    /**
     * The packet in words.
     *
     * @param asked the names of the numbers that interfaces have
     */
    public String words(AskedFacts asked) {
        int[] told = header.clone();
        told[HeaderWord.CONNECTION] = 0; // bits of a tracked connection, which ways have in words
        String words = PacketWords.of(told, asked);
        for (Field field : List.of(Field.IN_INTERFACE, Field.OUT_INTERFACE)) {
            String word = field.equals(Field.IN_INTERFACE) ? " in " : " out ";
            String name = PacketWords.interfaceName(header, asked, field);
            words = words.replace(word + name, word + interfaceName(field, asked));
        }
        return state == null ? words : words + " " + state.label();
    }

    /** The name of an interface as the user wrote it, or as rules do; empty: it is unknown. */
    String interfaceName(Field field, AskedFacts asked) {
        String written = field.equals(Field.IN_INTERFACE) ? in : out;
        boolean same =
                !written.isEmpty() && asked.value(written, true) == HeaderFields.of(header, field);
        return same ? written : PacketWords.interfaceName(header, asked, field);
    }
}
