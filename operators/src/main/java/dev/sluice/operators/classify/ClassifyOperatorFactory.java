package dev.sluice.operators.classify;

import dev.sluice.operators.rules.topic.HistorySource;
import dev.sluice.operators.rules.topic.RuleBootstrap;
import dev.sluice.operators.statistics.StatisticsOptions;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.streaming.api.operators.AbstractStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.OneInputStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperatorFactory;
import org.jspecify.annotations.Nullable;

/** Makes classify operators. */
public final class ClassifyOperatorFactory
        extends AbstractStreamOperatorFactory<Tuple2<Integer, byte[]>>
        implements OneInputStreamOperatorFactory<Tuple2<Integer, byte[]>, Tuple2<Integer, byte[]>>,
                TwoInputStreamOperatorFactory<
                        Tuple2<Integer, byte[]>, byte[], Tuple2<Integer, byte[]>> {
    private static final long serialVersionUID = 1L;

    private final ClassifyOptions options;
    private final @Nullable RuleBootstrap bootstrap;
    private final @Nullable HistorySource history;
    private final StatisticsOptions statistics;

    /**
     * A factory.
     *
     * @param bootstrap reads the rules where packets wait for the first; null: the broadcast alone
     *     brings them, and no packet may come before
     * @param statistics what is counted, and goes to {@link ClassifyOperator#HITS}
     */
    public ClassifyOperatorFactory(
            ClassifyOptions options,
            @Nullable RuleBootstrap bootstrap,
            StatisticsOptions statistics) {
        this(options, bootstrap, null, statistics);
    }

    /**
     * A factory of operators in event time, of one input, which judge packets by the rule history.
     *
     * @param history reads it
     * @param statistics what is counted, and goes to {@link ClassifyOperator#HITS}
     */
    public ClassifyOperatorFactory(
            ClassifyOptions options, HistorySource history, StatisticsOptions statistics) {
        this(options, null, history, statistics);
    }

    private ClassifyOperatorFactory(
            ClassifyOptions options,
            @Nullable RuleBootstrap bootstrap,
            @Nullable HistorySource history,
            StatisticsOptions statistics) {
        if (options.rulesTime().event() != (history != null)) {
            throw new IllegalArgumentException(
                    "event time needs a rule history to read, and processing time needs none");
        }
        this.options = options;
        this.bootstrap = bootstrap;
        this.history = history;
        this.statistics = statistics;
    }

    @Override
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // the signature is Flink's
    public <T extends StreamOperator<Tuple2<Integer, byte[]>>> T createStreamOperator(
            StreamOperatorParameters<Tuple2<Integer, byte[]>> parameters) {
        return (T) new ClassifyOperator(parameters, options, bootstrap, history, statistics);
    }

    @Override
    @SuppressWarnings("rawtypes")
    public Class<? extends StreamOperator> getStreamOperatorClass(ClassLoader classLoader) {
        return ClassifyOperator.class;
    }
}
