package dev.sluice.lab.inplace;

import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Capabilities.Updates;
import dev.sluice.engine.lookup.CompileContext;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.testing.Form;
import dev.sluice.engine.testing.RuleHistory;
import dev.sluice.engine.testing.RuleStory;
import dev.sluice.engine.testing.Subject;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import java.util.List;
import org.junit.jupiter.api.Assertions;

/** Rules that change in place, in the structure of an algorithm that can. */
public final class InPlaceSubject {
    private InPlaceSubject() {}

    /** Algorithms whose rules change in place. */
    public static List<Algorithm> algorithms() {
        return Algorithm.all().stream()
                .filter(algorithm -> algorithm.capabilities().updates() == Updates.IN_PLACE)
                .toList();
    }

    /**
     * Rules in the structure of a form's algorithm.
     *
     * @param form of an algorithm that has one
     */
    public static InPlaceClassifier open(Form form, RuleSet rules, HeaderLayout layout) {
        return new InPlaceClassifier(
                rules,
                layout,
                form.choice().algorithm().orElseThrow(),
                CompileContext.of(form.options().budgetBytes(), form.options().tuning()));
    }

    /** Rules that change in the structure of a form's algorithm. */
    public static Subject of(Form form) {
        return new Subject() {
            @Override
            public String label() {
                return form.label() + "-in-place";
            }

            @Override
            public Session open(RuleSet rules, HeaderLayout layout) {
                return new InPlaceSession(InPlaceSubject.open(form, rules, layout));
            }

            @Override
            public String toString() {
                return label();
            }
        };
    }

    /** The rules that are there now; a story held against them must have the same. */
    public static Subject inForce(InPlaceClassifier live, String label) {
        return new Subject() {
            @Override
            public String label() {
                return label;
            }

            @Override
            public boolean keepsItsRules() {
                return true;
            }

            @Override
            public Session open(RuleSet rules, HeaderLayout layout) {
                return new Session() {
                    @Override
                    public void apply(RuleDelta delta) {
                        throw new UnsupportedOperationException("the rules stay as they are");
                    }

                    @Override
                    public long[] answers(List<int[]> headers) {
                        return InPlaceSubject.answers(live, headers);
                    }
                };
            }
        };
    }

    /** What is said of headers: the id of each one's rule, or none. */
    public static long[] answers(InPlaceClassifier live, List<int[]> headers) {
        HeaderBatch batch = new HeaderBatch(live.layout(), headers.size() + 3);
        headers.forEach(batch::add);
        VerdictBatch verdicts = new VerdictBatch(headers.size());
        live.classify(batch, verdicts);
        long[] ids = verdicts.ids().clone();
        for (int i = 0; i < ids.length; i++) {
            ids[i] = verdicts.rule(i) == VerdictBatch.MISS ? RuleStory.NO_RULE : ids[i];
        }
        return ids;
    }

    private static final class InPlaceSession implements Subject.Session {
        private final InPlaceClassifier live;
        private final RuleHistory history;

        InPlaceSession(InPlaceClassifier live) {
            this.live = live;
            this.history = new RuleHistory(live.rules());
        }

        @Override
        public void apply(RuleDelta delta) {
            live.apply(delta);
            history.apply(delta);
            Assertions.assertEquals(history.size(), live.size(), "number of rules");
        }

        @Override
        public void settle() {
            Assertions.assertEquals(
                    RuleHistory.withoutPlaces(history.ruleSet().rules()),
                    RuleHistory.withoutPlaces(live.rules()));
            Assertions.assertTrue(live.bytes() > 0, "no bytes");
        }

        @Override
        public long[] answers(List<int[]> headers) {
            return InPlaceSubject.answers(live, headers);
        }
    }
}
