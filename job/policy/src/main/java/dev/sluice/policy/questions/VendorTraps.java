package dev.sluice.policy.questions;

import dev.sluice.engine.rules.Match;
import dev.sluice.policy.flatten.StageList;
import dev.sluice.policy.flatten.StageList.Box;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.Effect;
import dev.sluice.policy.model.Outcome;
import dev.sluice.policy.model.Policy;
import dev.sluice.policy.model.PolicyRule;
import dev.sluice.policy.model.Stage;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Rules that say something else than their writers are likely to mean. */
final class VendorTraps {
    /** Fewest bits at the low end of a mask that is taken for a wildcard. */
    private static final int FEWEST_WILD = 0xff;

    /** Bits of an interface's word that say that it is known, not which one it is. */
    private static final int KNOWN_INTERFACE = 0x3_0000;

    private VendorTraps() {}

    /**
     * Returns whether a match asks for an IPv4 address whose low bits are 0, and for no others: its
     * mask is a wildcard of Cisco's, as {@code 10.0.0.0/0.0.0.255}.
     */
    static boolean hasWildcard(Match match) {
        return isWildcard(match, HeaderWord.IPV4_SRC) || isWildcard(match, HeaderWord.IPV4_DST);
    }

    private static boolean isWildcard(Match match, int word) {
        int mask = match.mask(word);
        return mask >= FEWEST_WILD && (mask & mask + 1) == 0 && match.value(word) == 0;
    }

    /**
     * The rule that denies IPv4 packets which no other rule decides about, where no stage does so
     * with those of IPv6.
     *
     * @param policy of a file that tells of both versions
     * @return null: both are denied, or neither is
     */
    static @Nullable PolicyRule openToIpv6(Policy policy, Assumptions assumed) {
        PolicyRule closing = null;
        boolean open = true;
        for (Stage stage : policy.stages()) {
            List<Box> boxes = StageList.of(policy, stage, assumed);
            PolicyRule four = last(boxes, Field.VERSION_4);
            PolicyRule six = last(boxes, Field.VERSION_6);
            closing = closing == null && denies(four) ? four : closing;
            open &= !denies(six);
        }
        return open ? closing : null;
    }

    private static boolean denies(@Nullable PolicyRule rule) {
        return rule != null
                && rule.effect() instanceof Effect.Decide decides
                && decides.outcome() == Outcome.DENY;
    }

    /** The first rule that decides about all packets of a version; null: none does, or nobody's. */
    private static @Nullable PolicyRule last(List<Box> boxes, int version) {
        for (Box box : boxes) {
            boolean whole = box.decides() && box.certain() && box.hidden() == null;
            if (whole && takesAll(box.match(), version)) {
                return box.rule();
            }
        }
        return null;
    }

    private static boolean takesAll(Match match, int version) {
        int[] header = new int[HeaderWord.COUNT];
        Field.IP_VERSION.put(header, version);
        Field.ETH_TYPE.put(header, version == Field.VERSION_4 ? 0x0800 : 0x86dd);
        Field.IN_INTERFACE_PRESENT.put(header, 1);
        Field.OUT_INTERFACE_PRESENT.put(header, 1);
        header[HeaderWord.IN_INTERFACE] = KNOWN_INTERFACE;
        header[HeaderWord.OUT_INTERFACE] = KNOWN_INTERFACE;
        int[] same = new int[HeaderWord.COUNT]; // bits that all packets of the version share
        for (Field field :
                List.of(
                        Field.IP_VERSION,
                        Field.ETH_TYPE,
                        Field.IN_INTERFACE_PRESENT,
                        Field.OUT_INTERFACE_PRESENT)) {
            same[field.word()] |= field.maskInWord();
        }
        same[HeaderWord.IN_INTERFACE] |= KNOWN_INTERFACE;
        same[HeaderWord.OUT_INTERFACE] |= KNOWN_INTERFACE;
        for (int word = 0; word < HeaderWord.COUNT; word++) {
            if ((match.mask(word) & ~same[word]) != 0) {
                return false;
            }
        }
        return !match.hasRange() && match.matches(header);
    }
}
