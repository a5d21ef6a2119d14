package dev.sluice.engine.choice;

import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Claim;
import dev.sluice.engine.lookup.Claim.Kind;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.CompileContext;
import dev.sluice.engine.lookup.RuleProfile;
import dev.sluice.engine.rules.RuleSet;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Chooses an algorithm for a rule set by the {@link Claim}s of the algorithms: the first that takes
 * the rules without a measurement, else the fastest of those that claim to be, in a short
 * calibration on headers made from the rules. Of many rules a part is tried first: a candidate that
 * is slower on it than another one on all rules is not compiled for them. Where a device serves the
 * rules, too, {@link DeviceChoice} measures there then. An algorithm that refuses the rules or
 * passes the budget is passed over. Not thread-safe.
 */
final class AutoChoice {
    /** Rules at least of the part that candidates are tried on first. */
    private static final int PART = 4096;

    /**
     * A candidate is not compiled for all rules where another one is more than so many times as
     * fast on the part: of 34 policies none came to the front from further behind than 1.5 times.
     */
    private static final double MOST_BEHIND = 1.6;

    /** An algorithm's claim. */
    private record Claimed(Algorithm algorithm, Claim claim) {
        boolean is(Kind kind) {
            return claim.kind() == kind;
        }
    }

    private final RuleProfile profile;
    private final CompileOptions options;
    private final GpuPool.@Nullable Use device;
    private final Attempts attempts;
    private final @Nullable Attempts part;
    private final List<Claimed> claims;

    /**
     * A choice.
     *
     * @param device for which is chosen, too; null for none
     * @param others compiles rules that an algorithm passes on
     */
    AutoChoice(
            RuleSet rules,
            CompileOptions options,
            GpuPool.@Nullable Use device,
            CompileContext.Others others) {
        this.profile = new RuleProfile(rules, options.updatesPerSecond());
        this.options = options;
        this.device = device;
        this.attempts = new Attempts(rules, options, others);
        this.part = attempts.part(PART);
        this.claims = claims(profile);
    }

    /** The claims of all algorithms on rules, in the order in which they are tried. */
    private static List<Claimed> claims(RuleProfile rules) {
        List<Claimed> claims = new ArrayList<>();
        for (Algorithm algorithm : Algorithm.all()) {
            algorithm.suits(rules).forEach(claim -> claims.add(new Claimed(algorithm, claim)));
        }
        claims.sort(Comparator.comparing(claimed -> claimed.claim.kind()));
        return claims;
    }

    Compiled choose() {
        Compiled onCpu = chooseForCpu();
        if (device == null || profile.changesOften()) {
            return onCpu;
        }
        // A device reads large images far from a core's caches, too.
        List<Algorithm> candidates =
                claims.stream()
                        .filter(
                                claimed ->
                                        claimed.is(Kind.SMALL_IMAGE) || claimed.is(Kind.CANDIDATE))
                        .map(Claimed::algorithm)
                        .toList();
        return new DeviceChoice(device, options.budgetBytes())
                .choose(onCpu, attempts, part, candidates);
    }

    private Compiled chooseForCpu() {
        List<Algorithm> measured = new ArrayList<>();
        for (Claimed claimed : claims) {
            Algorithm algorithm = claimed.algorithm;
            if (claimed.is(Kind.CANDIDATE)) {
                measured.add(algorithm);
            } else if (!claimed.is(Kind.LAST_RESORT)) {
                Classifier compiled = attempts.by(algorithm);
                if (compiled != null && compiled.bytes() <= claimed.claim.takenBytes()) {
                    return taken(claimed, compiled, "");
                }
                if (compiled != null && compiled.bytes() <= claimed.claim.measuredBytes()) {
                    measured.add(algorithm);
                } else if (compiled != null) {
                    attempts.refuse(algorithm.label() + "'s tables are far from a core's caches");
                }
            }
        }
        return calibrate(measured);
    }

    private static Compiled taken(Claimed claimed, Classifier compiled, String because) {
        String why = claimed.claim.why().apply(compiled);
        return new Compiled(compiled, claimed.algorithm.label() + ": " + why + because);
    }

    private Compiled calibrate(List<Algorithm> candidates) {
        Calibration.Outcome outcome =
                new Calibration(
                                attempts,
                                part,
                                new CpuRates(),
                                Integer.MAX_VALUE,
                                MOST_BEHIND,
                                options.budgetBytes())
                        .fastest(candidates, 0);
        Classifier fastest = outcome.fastest();
        if (fastest != null) {
            return new Compiled(
                    fastest,
                    Algorithm.ofCode(fastest.image().algorithm()).label()
                            + ": fastest in a short calibration, M headers/s: "
                            + String.join(", ", outcome.measured())
                            + attempts.because());
        }
        for (Claimed claimed : claims) {
            Classifier last = claimed.is(Kind.LAST_RESORT) ? attempts.by(claimed.algorithm) : null;
            if (last != null) {
                return taken(claimed, last, attempts.because());
            }
        }
        throw attempts.nothingFits();
    }
}
