package dev.sluice.policy.model;

import static dev.sluice.policy.model.Condition.all;

import dev.sluice.schemas.header.Field;
import java.math.BigInteger;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Translation of the destinations of packets, which rules behind it see.
 *
 * @param known new values by field
 * @param unknown fields with new values that the file does not tell, each with words about them
 * @param local whether the new destination is an address of the host
 */
public record Translation(Map<Field, BigInteger> known, Map<Field, String> unknown, boolean local) {
    /** Copies the maps. */
    public Translation {
        known = Map.copyOf(known);
        unknown = Map.copyOf(unknown);
    }

    /**
     * A translation of a field, and of a second one.
     *
     * @param value its new value; null: unknown
     */
    public Translation and(Field field, @Nullable BigInteger value, String words) {
        Map<Field, BigInteger> values = new HashMap<>(known);
        Map<Field, String> others = new HashMap<>(unknown);
        if (value == null) {
            others.put(field, words);
        } else {
            values.put(field, value);
        }
        return new Translation(values, others, local);
    }

    /** The condition on a packet that stands for one on the translated packet. */
    public Condition of(Condition condition) {
        return Condition.map(condition, this::ofLeaf);
    }

    /** The condition on a field: whether the new value fits, if it is known. */
    private Condition ofLeaf(Condition condition) {
        Field field = Condition.field(condition);
        if (field == null) {
            return condition;
        }
        String words = unknown.get(field);
        Field bit = field.present();
        Condition present = bit == null ? Condition.ALWAYS : Condition.is(bit, 1);
        if (words != null) {
            return all(present, new Condition.Unknown(words));
        }
        BigInteger value = known.get(field);
        if (value == null) {
            return condition;
        }
        return Condition.holds(condition, value) ? present : Condition.NEVER;
    }
}
