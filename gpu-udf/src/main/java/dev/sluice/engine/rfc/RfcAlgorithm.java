package dev.sluice.engine.rfc;

import dev.sluice.engine.lookup.Claim;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.RuleProfile;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.header.HeaderWord;
import java.util.List;

/** Recursive flow classification. See the package text. */
public final class RfcAlgorithm extends ReductionTreeAlgorithm {
    /** It is tried up to so many rules, and taken if its tables stay near a core's caches. */
    private static final int RULES_UP_TO = 12_000;

    /** The same over wide headers, where many chunks combine: tables that do not fit take long. */
    private static final int RULES_ON_WIDE_UP_TO = 1_000;

    private static final int WIDE_WORDS = 8;

    /**
     * It is tried on any number of rules that name ports and protocol alone, whose classes stay few
     * once they are made.
     */
    private static final long SERVICE_WORDS =
            HeaderWord.bit(HeaderWord.PORTS) | HeaderWord.bit(HeaderWord.IP);

    private static final long TAKEN_BYTES = 32L << 20;
    private static final long MEASURED_BYTES = 128L << 20;

    /** Classes may take more while they are made: tables that shrink later. */
    private static final long BUILD_BYTES = 320L << 20;

    /** The same of rules that name ports and protocol alone. */
    private static final long SERVICES_BUILD_BYTES = 1L << 30;

    /** For the registry. */
    public RfcAlgorithm() {
        super(RfcTarget.PLAIN, "tables of class ids; policies up to some thousand rules");
    }

    @Override
    public List<Claim> suits(RuleProfile rules) {
        HeaderLayout layout = rules.rules().layout();
        int most = layout.size() >= WIDE_WORDS ? RULES_ON_WIDE_UP_TO : RULES_UP_TO;
        return !rules.namesMacs() && (rules.rules().size() <= most || namesServices(layout))
                ? List.of(
                        new Claim(
                                Claim.Kind.SMALL_IMAGE,
                                RfcAlgorithm::why,
                                TAKEN_BYTES,
                                MEASURED_BYTES))
                : List.of();
    }

    private static String why(Classifier compiled) {
        return "its tables take %,d bytes, near a core's caches".formatted(compiled.bytes());
    }

    /** Returns whether rules name ports and protocol alone. */
    private static boolean namesServices(HeaderLayout layout) {
        return (layout.wordBits() & ~SERVICE_WORDS) == 0;
    }

    @Override
    public long buildBudget(long budgetBytes, HeaderLayout layout) {
        return Math.min(budgetBytes, namesServices(layout) ? SERVICES_BUILD_BYTES : BUILD_BYTES);
    }
}
