package dev.sluice.policy.explain;

import dev.sluice.engine.rules.Match;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.HeaderValues;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/** Matches of rules that stand for themselves, field by field. */
final class ListConditions {
    /** Fields in the order in which they are told; the others follow. */
    private static final List<Field> ORDER =
            List.of(
                    Field.IN_PORT,
                    Field.ETH_SRC,
                    Field.ETH_DST,
                    Field.IP_VERSION,
                    Field.ETH_TYPE,
                    Field.IP_PROTO,
                    Field.IPV4_SRC,
                    Field.IPV6_SRC,
                    Field.IPV4_DST,
                    Field.IPV6_DST,
                    Field.PORTS_PRESENT,
                    Field.SRC_PORT,
                    Field.DST_PORT);

    private static final List<Field> FIELDS = fields();
    private static final Set<Field> PORTS = Set.of(Field.SRC_PORT, Field.DST_PORT);

    private ListConditions() {}

    private static List<Field> fields() {
        List<Field> fields = new ArrayList<>(Arrays.asList(Field.values()));
        fields.removeIf(field -> field.word() == HeaderWord.FLOW_DST);
        fields.sort(
                Comparator.comparingInt(
                        field -> {
                            int at = ORDER.indexOf(field);
                            return at < 0 ? ORDER.size() : at;
                        }));
        return fields;
    }

    /** The conditions on single fields that a match is made of. */
    static List<Condition> of(Match match) {
        int[] values = new int[HeaderWord.COUNT];
        int[] masks = new int[HeaderWord.COUNT];
        for (int word = 0; word < HeaderWord.COUNT; word++) {
            values[word] = match.value(word);
            masks[word] = match.mask(word);
        }
        List<Condition> conditions = new ArrayList<>();
        for (Field field : FIELDS) {
            BigInteger mask = HeaderValues.of(masks, field);
            if (mask.signum() != 0) {
                BigInteger value = HeaderValues.of(values, field);
                conditions.add(new Condition.Bits(field, value, mask));
            }
            if (PORTS.contains(field)) {
                int range = field.equals(Field.SRC_PORT) ? match.srcPorts() : match.dstPorts();
                int low = range >>> Match.RANGE_LOW_SHIFT;
                int high = range & Match.RANGE_HIGH;
                if (low > 0 || high < Match.ANY_PORT) {
                    conditions.add(new Condition.In(field, ValueSet.of(low, high)));
                }
            }
        }
        return conditions;
    }

    /** Returns whether a header meets a condition of a match, whatever fields it states. */
    static boolean meets(Condition condition, int[] header) {
        Field field = Condition.field(condition);
        return field == null || Condition.holds(condition, HeaderValues.of(header, field));
    }

    /** The needs of a packet that misses a match. */
    static List<Need> needs(Match match, int[] header) {
        boolean icmp = HeaderFields.isIcmp(header);
        List<Need> needs = new ArrayList<>();
        for (Condition condition : of(match)) {
            Field field = Needs.field(condition);
            String wants = FieldWords.wanted(condition, true);
            if (field != null && wants != null && !meets(condition, header)) {
                icmp = field.equals(Field.IP_PROTO) ? wants.startsWith("icmp") : icmp;
                needs.add(
                        new Need(
                                FieldWords.name(field, icmp),
                                PORTS.contains(field) && icmp != HeaderFields.isIcmp(header)
                                        ? FieldWords.NONE
                                        : FieldWords.value(header, field),
                                wants,
                                condition,
                                true));
            }
        }
        return needs;
    }
}
