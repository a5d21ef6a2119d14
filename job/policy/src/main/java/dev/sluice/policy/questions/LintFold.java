package dev.sluice.policy.questions;

import dev.sluice.engine.rules.Match;
import dev.sluice.policy.model.AskedFacts;
import dev.sluice.policy.questions.LintRule.Kind;
import dev.sluice.policy.questions.LintRule.Line;
import dev.sluice.policy.questions.RuleFinding.Need;
import dev.sluice.policy.questions.RuleFinding.Reach;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Findings about one line in all lists that have it, folded into one. */
final class LintFold {
    private final Line line;
    private Reach reach = Reach.ABSENT;
    private Need need = Need.NOT_ASKED;
    private String witness = "";
    private boolean end;
    private boolean doubtful;
    private boolean minimal = true;
    private final SortedSet<Line> covering = new TreeSet<>();
    private final SortedSet<Line> behind = new TreeSet<>();
    private @Nullable Line conflict;
    private String emptyChain = "";
    private final Set<Kind> traps = EnumSet.noneOf(Kind.class);
    private boolean denies;
    private @Nullable RuleUse use;
    private final Set<Match> boxes = new HashSet<>();
    private boolean certain;
    private boolean doesMore;
    private boolean undecided;

    /**
     * Creates a fold of no finding.
     *
     * @param use the packets that hit the rule; null: not known
     */
    LintFold(Line line, @Nullable RuleUse use) {
        this.line = line;
        this.use = use;
    }

    /** Adds a finding of a list with these lines. */
    void add(RuleFinding finding, List<Line> lines, boolean isEnd, AskedFacts asked, String state) {
        end |= isEnd;
        minimal &= finding.minimal();
        add(covering, finding.covering(), lines);
        add(behind, finding.behind(), lines);
        if (witness.isEmpty() && finding.witness() != null) {
            witness = PacketWords.of(finding.witness(), asked) + state;
            doubtful = finding.doubtful();
        }
        Integer before = finding.conflict();
        if (conflict == null && before != null) {
            conflict = lines.get(before);
        }
        if (reach == Reach.ABSENT || finding.reach().compareTo(reach) < 0) {
            reach = finding.reach();
        }
        need = stronger(need, finding.need());
        undecided |= finding.reach() == Reach.UNDECIDED;
    }

    private static void add(Collection<Line> to, List<Integer> owners, List<Line> lines) {
        owners.forEach(owner -> to.add(lines.get(owner)));
    }

    /** The need of a rule in two lists: one list that needs it is enough. */
    private static Need stronger(Need a, Need b) {
        for (Need need : List.of(Need.NEEDED, Need.UNDECIDED, Need.REDUNDANT)) {
            if (a == need || b == need) {
                return need;
            }
        }
        return Need.NOT_ASKED;
    }

    /** Notes that the rule jumps to an empty chain. */
    void emptyChain(String chain) {
        emptyChain = chain;
    }

    /** Notes that outcomes do not tell all that its rules do. */
    void doMore() {
        doesMore = true;
    }

    /** Notes a finding that needs no proof. */
    void trap(Kind kind) {
        traps.add(kind);
    }

    /** Notes that the rule denies. */
    void deny() {
        denies = true;
    }

    /**
     * Adds a box of the rule. For the parts that packets used it counts where they hit the rule, an
     * unsure one where no other is.
     */
    void add(MatchEntry entry) {
        if (VendorTraps.hasWildcard(entry.match())) {
            trap(Kind.WILDCARD_MASK);
        }
        use = use == null ? null : use.with(entry.match());
        if (use == null || use.parts() == null || !entry.certain() && certain) {
            return;
        }
        if (entry.certain() && !certain) {
            boxes.clear();
            certain = true;
        }
        boxes.add(entry.match());
    }

    LintRule rule() {
        boolean dead = reach == Reach.DEAD;
        Need asked = doesMore && need != Need.NEEDED ? Need.NOT_ASKED : need;
        if (undecided && asked == Need.REDUNDANT) {
            asked = Need.UNDECIDED; // the list whose proof was given up may need it
        }
        boolean redundant = asked == Need.REDUNDANT;
        return new LintRule(
                line,
                end,
                reach,
                witness,
                doubtful,
                dead ? List.copyOf(covering) : List.of(),
                minimal,
                asked,
                redundant ? List.copyOf(behind) : List.of(),
                conflict,
                emptyChain,
                traps,
                denies,
                dead && use != null ? use.ofDead() : use,
                use == null || use.parts() == null || end ? "" : use.parts().narrower(boxes));
    }
}
