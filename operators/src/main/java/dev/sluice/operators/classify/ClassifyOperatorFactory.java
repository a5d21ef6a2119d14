package dev.sluice.operators.classify;

import dev.sluice.operators.rules.topic.RuleSource;
import dev.sluice.operators.shadow.ShadowOptions;
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
    private final @Nullable RuleSource rules;
    private final StatisticsOptions statistics;
    private final @Nullable ShadowOptions shadow;

    /**
     * A factory of operators: in processing time of two inputs, in event time of one.
     *
     * @param rules reads the rules topic beside the job: in processing time where packets wait for
     *     the first rules, in event time always; null: the broadcast alone brings them, and no
     *     packet may come before
     * @param statistics what is counted, and goes to {@link ClassifyOperator#HITS}
     * @param shadow a policy that is compared, and whose differences go to {@link
     *     ClassifyOperator#SHADOW}; null: none is
     */
    public ClassifyOperatorFactory(
            ClassifyOptions options,
            @Nullable RuleSource rules,
            StatisticsOptions statistics,
            @Nullable ShadowOptions shadow) {
        if (options.rulesTime().event() && rules == null) {
            throw new IllegalArgumentException("event time needs a rule history to read");
        }
        if (options.rulesTime().event() && shadow != null) {
            throw new IllegalArgumentException("a shadow is compared in processing time alone");
        }
        this.options = options;
        this.rules = rules;
        this.statistics = statistics;
        this.shadow = shadow;
    }

    @Override
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // the signature is Flink's
    public <T extends StreamOperator<Tuple2<Integer, byte[]>>> T createStreamOperator(
            StreamOperatorParameters<Tuple2<Integer, byte[]>> parameters) {
        return (T) new ClassifyOperator(parameters, options, rules, statistics, shadow);
    }

    @Override
    @SuppressWarnings("rawtypes")
    public Class<? extends StreamOperator> getStreamOperatorClass(ClassLoader classLoader) {
        return ClassifyOperator.class;
    }
}
