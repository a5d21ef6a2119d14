package dev.sluice.engine.routes;

import dev.sluice.engine.image.BuildMeter;
import dev.sluice.engine.image.Image;
import dev.sluice.engine.image.WordWriter;
import dev.sluice.engine.lookup.UnsupportedRulesException;
import dev.sluice.engine.prefix.Dir24;
import dev.sluice.engine.prefix.LengthSearch;
import dev.sluice.engine.prefix.Prefix;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Compiles rules that name one address prefix each, all of the same address. */
public final class RouteCompiler {
    /** Label of the algorithm. */
    static final String LABEL = "routes";

    /** Code of the algorithm in images. */
    static final int CODE = 11;

    private static final int IP_VERSION_MASK = Field.IP_VERSION.maskInWord();

    private RouteCompiler() {}

    /**
     * Compiles a rule set.
     *
     * @throws UnsupportedRulesException if a rule names more than a prefix of the address; says
     *     which one
     */
    public static Image compile(RuleSet rules, BuildMeter meter) {
        Key key = key(rules);
        List<Prefix> prefixes = key.prefixes;
        boolean six = key.six();
        WordWriter out = new WordWriter(LABEL, meter.budgetBytes());
        int[] results = new int[rules.size()];
        Arrays.setAll(results, r -> r);
        out.set(RoutesLayout.ADDRESS_AT, key.address);
        out.set(RoutesLayout.IP_VALUE_AT, key.ipValue);
        out.set(RoutesLayout.IP_MASK_AT, key.ipMask);
        out.set(
                RoutesLayout.RECORD_AT,
                six
                        ? LengthSearch.write(out, prefixes, results, meter)
                        : Dir24.write(out, prefixes, results, meter));
        return Image.seal(out.toArray(), CODE, rules.layout(), rules.size());
    }

    /**
     * Header words that the rules of a set name.
     *
     * @param address first header word of the address
     * @param ipMask bits of the IP word that every rule names
     * @param ipValue values of these bits, the same in all rules
     * @param prefixes of each rule
     */
    record Key(int address, int ipMask, int ipValue, List<Prefix> prefixes) {
        boolean six() {
            return address >= HeaderWord.IPV6_SRC;
        }
    }

    /**
     * Returns whether rules name one address and, beside it, the IP version at most: the first
     * question, answered at once; {@link #compile} tells whether all are prefixes of it.
     */
    public static boolean namesOneAddress(RuleSet rules) {
        int first = address(rules);
        long address = (first >= HeaderWord.IPV6_SRC ? 0b1111L : 1) << first;
        long named = rules.layout().wordBits() & ~HeaderWord.bit(HeaderWord.IP);
        return named != 0 && (named & ~address) == 0;
    }

    /**
     * Finds the one address of a rule set and each rule's prefix of it.
     *
     * @throws UnsupportedRulesException naming a rule that asks for more than a prefix
     */
    static Key key(RuleSet rules) {
        int address = address(rules);
        int[] words = new int[address >= HeaderWord.IPV6_SRC ? 4 : 1];
        Arrays.setAll(words, i -> address + i);
        List<Prefix> prefixes = new ArrayList<>();
        int version = 0;
        int mask = rules.size() == 0 ? 0 : rules.rules().get(0).match().mask(HeaderWord.IP);
        for (Rule rule : rules.rules()) {
            Match match = rule.match();
            long others = match.without(words).without(HeaderWord.IP).usedWords();
            if (others != 0 || (match.mask(HeaderWord.IP) & ~IP_VERSION_MASK) != 0) {
                throw unsupported(rule, "it names more than the prefix of one address");
            }
            if (match.mask(HeaderWord.IP) != mask
                    || !prefixes.isEmpty() && match.value(HeaderWord.IP) != version) {
                throw unsupported(rule, "its IP version differs from the first rule's");
            }
            version = match.value(HeaderWord.IP);
            Prefix prefix = Prefix.of(match, words);
            if (prefix == null) {
                throw unsupported(rule, "its address mask is no prefix");
            }
            prefixes.add(prefix);
        }
        return new Key(address, mask, version, prefixes);
    }

    private static UnsupportedRulesException unsupported(Rule rule, String what) {
        return new UnsupportedRulesException(LABEL, rule.line(), what);
    }

    /** The one address that the rules name. */
    private static int address(RuleSet rules) {
        int found = HeaderWord.IPV4_DST;
        for (int first :
                new int[] {
                    HeaderWord.IPV4_SRC,
                    HeaderWord.IPV4_DST,
                    HeaderWord.IPV6_SRC,
                    HeaderWord.IPV6_DST
                }) {
            int last = first >= HeaderWord.IPV6_SRC ? first + 3 : first;
            for (int w = first; w <= last; w++) {
                if (rules.layout().position(w) >= 0) {
                    found = first;
                }
            }
        }
        return found;
    }
}
