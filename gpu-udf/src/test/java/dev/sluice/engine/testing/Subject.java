package dev.sluice.engine.testing;

import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.FirstMatch;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import java.util.List;
import java.util.function.BiFunction;

/**
 * What {@link SameVerdicts} holds against the oracle: an algorithm in one of its forms, a kernel's
 * look-up, or a deliberately wrong one.
 */
public interface Subject {
    /** Names it in messages and file names. */
    String label();

    /**
     * Rules that are looked into.
     *
     * @param layout words that rules look at, those of later rules too
     * @throws dev.sluice.engine.lookup.UnsupportedRulesException if it does not serve such rules
     * @throws dev.sluice.engine.image.MemoryBudgetException if they need more memory than it has
     */
    Session open(RuleSet rules, HeaderLayout layout) throws Exception;

    /**
     * A subject whose sessions are put into a list as they are opened: the first one is that of the
     * whole story.
     */
    static <T extends Session> Subject ofSessions(
            String label, List<? super T> opened, BiFunction<RuleSet, HeaderLayout, T> opening) {
        return ofSessions(
                label,
                (rules, layout) -> {
                    T session = opening.apply(rules, layout);
                    opened.add(session);
                    return session;
                });
    }

    /** The answer that is right unless a subject says otherwise: the best rule that matches. */
    Answer BEST_RULE = FirstMatch::classify;

    /** Says which rule of a set a header must have. */
    interface Answer {
        /** Position of the rule in the total order, or {@link VerdictBatch#MISS}. */
        int position(RuleSet rules, int[] header);
    }

    /** What this subject is held against; another than the best rule is rare. */
    default Answer rightAnswer() {
        return BEST_RULE;
    }

    /**
     * Whether it looks into rules of its own, which the story tells: then a story that fails loses
     * headers only, since with fewer rules it would be another.
     */
    default boolean keepsItsRules() {
        return false;
    }

    /** Rules that are looked into and that change. Not thread-safe. */
    interface Session extends AutoCloseable {
        /** Changes the rules. */
        void apply(RuleDelta delta) throws Exception;

        /** Waits for what goes on in the background; headers are asked once more then. */
        default void settle() throws Exception {}

        /** For each header the id of its rule, or {@link RuleStory#NO_RULE}. */
        long[] answers(List<int[]> headers) throws Exception;

        @Override
        default void close() throws Exception {}
    }

    /** A refusal of what is no algorithm. */
    final class NotServed extends RuntimeException {
        private static final long serialVersionUID = 1L;

        /** Says why. */
        public NotServed(String reason) {
            super(reason);
        }
    }

    /** Makes positions in a rule set's total order out of headers. */
    interface LookUp {
        /** For each header the position of its rule, or {@link VerdictBatch#MISS}. */
        int[] positions(List<int[]> headers) throws Exception;
    }

    /** Makes a look-up of a rule set. */
    interface Build {
        /** Compiles the rules. */
        LookUp of(RuleSet rules) throws Exception;
    }

    /** Opens the sessions of a subject. */
    interface Opening {
        /** Rules that are looked into, as {@link Subject#open} says. */
        Session open(RuleSet rules, HeaderLayout layout) throws Exception;
    }

    /** A subject that is made anew for every version of the rules. */
    static Subject of(String label, Build build) {
        return ofSessions(label, (rules, layout) -> new Rebuilt(rules, build));
    }

    /** A subject of sessions. */
    static Subject ofSessions(String label, Opening opening) {
        return new Subject() {
            @Override
            public String label() {
                return label;
            }

            @Override
            public Session open(RuleSet rules, HeaderLayout layout) throws Exception {
                return opening.open(rules, layout);
            }

            @Override
            public String toString() {
                return label;
            }
        };
    }

    /**
     * A look-up that is there already, or the answers that it gave.
     *
     * @param lookUp of the rules that the story tells
     */
    static Subject ofItsOwnRules(String label, LookUp lookUp) {
        Subject rebuilt = of(label, rules -> lookUp);
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
            public Session open(RuleSet rules, HeaderLayout layout) throws Exception {
                return rebuilt.open(rules, layout);
            }
        };
    }

    /** This subject, held against another answer than the best rule. */
    default Subject rightIf(Answer answer) {
        Subject same = this;
        return new Subject() {
            @Override
            public String label() {
                return same.label();
            }

            @Override
            public Answer rightAnswer() {
                return answer;
            }

            @Override
            public boolean keepsItsRules() {
                return same.keepsItsRules();
            }

            @Override
            public Session open(RuleSet rules, HeaderLayout layout) throws Exception {
                return same.open(rules, layout);
            }
        };
    }

    /** The look-up of a compiled rule set. */
    static LookUp lookUp(Classifier classifier) {
        return headers -> {
            // More room than headers: words of a header lie that far apart.
            HeaderBatch batch = new HeaderBatch(classifier.layout(), headers.size() + 5);
            headers.forEach(batch::add);
            VerdictBatch verdicts = new VerdictBatch(headers.size());
            classifier.classify(batch, verdicts);
            return verdicts.rules();
        };
    }

    /** The ids of rules at positions in a rule set's total order. */
    static long[] ids(RuleSet rules, int[] positions) {
        long[] ids = new long[positions.length];
        for (int i = 0; i < ids.length; i++) {
            ids[i] =
                    positions[i] == VerdictBatch.MISS
                            ? RuleStory.NO_RULE
                            : rules.rules().get(positions[i]).id();
        }
        return ids;
    }

    /** A session whose every version is built anew. */
    final class Rebuilt implements Session {
        private final RuleHistory history;
        private final Build build;
        private RuleSet rules;
        private LookUp lookUp;

        Rebuilt(RuleSet rules, Build build) throws Exception {
            this.history = new RuleHistory(rules.rules());
            this.build = build;
            this.rules = rules;
            this.lookUp = build.of(rules);
        }

        @Override
        public void apply(RuleDelta delta) throws Exception {
            history.apply(delta);
            rules = history.ruleSet();
            lookUp = build.of(rules);
        }

        @Override
        public long[] answers(List<int[]> headers) throws Exception {
            return ids(rules, lookUp.positions(headers));
        }
    }
}
