package dev.sluice.job.graph;

import static org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO;
import static org.apache.flink.configuration.CheckpointingOptions.CHECKPOINTING_CONSISTENCY_MODE;
import static org.apache.flink.configuration.CheckpointingOptions.CHECKPOINTING_INTERVAL;
import static org.apache.flink.configuration.CheckpointingOptions.ENABLE_UNALIGNED;

import dev.sluice.job.kafka.ShardedMessage;
import dev.sluice.job.ruletopic.KafkaRuleSource;
import dev.sluice.operators.classify.ClassifyOperator;
import dev.sluice.operators.classify.ClassifyOperatorFactory;
import dev.sluice.operators.classify.ShardKey;
import dev.sluice.operators.rules.topic.GatherRuleMessages;
import dev.sluice.operators.rules.topic.RuleSource;
import dev.sluice.operators.shadow.ShadowOperator;
import dev.sluice.operators.shadow.ShadowOptions;
import dev.sluice.operators.statistics.StatisticsOperator;
import java.time.Duration;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.core.execution.CheckpointingMode;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.KeyedStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.streaming.api.transformations.TwoInputTransformation;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;

/**
 * Job graph of the corridor.
 *
 * <pre>
 * packets topic -> source -> check --keyed by flow shard--> classify -> verdicts topic
 *                              |                             ^  || |  [-> connections topic]
 * rules topic -> source -> check ------broadcast-------------+   | +--keyed by rule--> statistics -> statistics topics
 *                          |   +--> dead-letter topic <----------+
 *                          +--------^
 * </pre>
 *
 * <p>The sink of connections is present only where rows are asked for. With a shadow, classify
 * reads the shadow's rules beside the job, and its counts go to an operator shadow, of one subtask,
 * and on to the topic of counts.
 *
 * <p>The statistics operator is present even where nothing is counted. Its state then waits for a
 * job that counts again.
 */
public final class SluiceJob {
    /** Uid of the source of packets. */
    public static final String PACKETS_SOURCE = "packets-source";

    static final String RULES_SOURCE = "rules-source";

    /** Uid of the sink of rows of connections. */
    static final String CONNECTIONS_SINK = "connections-sink";

    private static final OutputTag<Tuple2<Integer, byte[]>> DEAD =
            new OutputTag<>("dead-letters", ShardedMessage.TYPE);

    private SluiceJob() {}

    /** Adds the graph to an environment. */
    public static void build(StreamExecutionEnvironment env, JobOptions options) {
        configure(env, options.checkpointInterval());
        recover(env, options);
        JobEndpoints ends = new JobEndpoints(options);
        SingleOutputStreamOperator<Tuple2<Integer, byte[]>> packets =
                checked(
                        env.fromSource(
                                        ends.packets(),
                                        SourceAlignment.packets(options),
                                        "packets",
                                        ShardedMessage.TYPE)
                                .uid(PACKETS_SOURCE),
                        "packets-check");
        sendSoon(packets, options);
        SingleOutputStreamOperator<Tuple2<Integer, byte[]>> rules =
                checked(
                        env.fromSource(
                                        ends.rules(),
                                        SourceAlignment.rules(options),
                                        "rules",
                                        ShardedMessage.TYPE)
                                .uid(RULES_SOURCE)
                                .setParallelism(1),
                        "rules-check");
        rules.setParallelism(1);
        var verdicts = classified(packets.keyBy(new ShardKey(), Types.INT), rules, options);
        verdicts.sinkTo(ends.verdicts()).name("verdicts").uid("verdicts-sink");
        verdicts.getSideOutput(ClassifyOperator.DEAD_LETTERS)
                .map(letter -> Tuple2.of(ShardedMessage.DEAD, letter))
                .returns(ShardedMessage.TYPE)
                .name("dropped rule transactions")
                .uid("dropped-rule-transactions")
                .union(packets.getSideOutput(DEAD), rules.getSideOutput(DEAD))
                .map(new DeadLetterCount())
                .returns(ShardedMessage.TYPE)
                .name("dead letters by reason")
                .uid("dead-letters-count")
                .setParallelism(1) // so that its tasks end together
                .sinkTo(ends.deadLetters())
                .name("dead letters")
                .uid("dead-letters-sink")
                .setParallelism(1); // letters come from one subtask: others would commit nothing
        verdicts.getSideOutput(ClassifyOperator.HITS)
                .keyBy(StatisticsOperator.KEY, StatisticsOperator.KEY_TYPE)
                .transform("statistics", StatisticsOperator.TYPE, new StatisticsOperator())
                .uid("statistics")
                .sinkTo(ends.statistics())
                .name("statistics")
                .uid("statistics-sink");
        String connections = options.connectionsTopic();
        if (connections != null) {
            verdicts.getSideOutput(ClassifyOperator.CONNECTIONS)
                    .sinkTo(ends.connections(connections))
                    .name("connections")
                    .uid(CONNECTIONS_SINK);
        }
        ShadowJob shadow = options.shadow();
        if (shadow != null) {
            verdicts.getSideOutput(ClassifyOperator.SHADOW)
                    .transform(
                            "shadow", ShadowOperator.TYPE, new ShadowOperator(shadow.mostPairs()))
                    .uid(ShadowJob.UID)
                    .setParallelism(1) // so that the number of pairs is one of the whole job
                    .sinkTo(ends.shadow(shadow))
                    .name("shadow")
                    .uid(ShadowJob.UID + "-sink")
                    .setParallelism(1);
        }
    }

    /** Shortens the buffer time-out of the edge of packets, unless the configuration sets one. */
    private static void sendSoon(
            SingleOutputStreamOperator<Tuple2<Integer, byte[]>> packets, JobOptions options) {
        ReadableConfig config = packets.getExecutionEnvironment().getConfiguration();
        if (config.getOptional(ExecutionOptions.BUFFER_TIMEOUT).isEmpty()
                && config.getOptional(ExecutionOptions.BUFFER_TIMEOUT_ENABLED).isEmpty()) {
            packets.setBufferTimeout(bufferMillis(options.classify().maxDelayMicros()));
        }
    }

    /**
     * Returns the buffer time-out of packets, in ms: the maximal delay of a batch, rounded up. With
     * Flink's default of 100 ms packets would wait fifty times as long for the network as for their
     * look-up, and then arrive all at once.
     */
    static long bufferMillis(long maxDelayMicros) {
        long millis = (maxDelayMicros + 999) / 1000;
        return Math.min(millis, ExecutionOptions.BUFFER_TIMEOUT.defaultValue().toMillis());
    }

    /**
     * Adds the classify operator, with state by the packets' key. {@code connect} supports that
     * only if both inputs are keyed, or for Flink's own function operators.
     */
    private static SingleOutputStreamOperator<Tuple2<Integer, byte[]>> classified(
            KeyedStream<Tuple2<Integer, byte[]>, Integer> packets,
            SingleOutputStreamOperator<Tuple2<Integer, byte[]>> rules,
            JobOptions options) {
        if (options.classify().rulesTime().event()) {
            // The rules' source only aligns the packets' source; the operator reads the rules.
            return packets.transform("classify", ShardedMessage.TYPE, classifier(options))
                    .uid("classify");
        }
        StreamExecutionEnvironment env = packets.getExecutionEnvironment();
        var classify =
                new TwoInputTransformation<>(
                        packets.getTransformation(),
                        gathered(rules).broadcast().getTransformation(),
                        "classify",
                        classifier(options),
                        ShardedMessage.TYPE,
                        env.getParallelism(),
                        false);
        classify.setStateKeySelectors(packets.getKeySelector(), null);
        classify.setStateKeyType(packets.getKeyType());
        env.addOperator(classify);
        return new Classified(env, classify).uid("classify");
    }

    /** Adds the transport of rule messages to the tasks. */
    private static DataStream<byte[]> gathered(
            SingleOutputStreamOperator<Tuple2<Integer, byte[]>> rules) {
        return rules.transform(
                        "rule messages", BYTE_PRIMITIVE_ARRAY_TYPE_INFO, new GatherRuleMessages())
                .uid("rules-messages")
                .setParallelism(1)
                .setBufferTimeout(0); // rules are sent at once, not after Flink's 100 ms
    }

    private static ClassifyOperatorFactory classifier(JobOptions options) {
        Long end = options.rulesEnd();
        if (end == null && options.classify().rulesTime().event()) {
            throw new IllegalArgumentException("event time needs the end of the rule history");
        }
        ShadowJob shadow = options.shadow();
        return new ClassifyOperatorFactory(
                options.classify(),
                new KafkaRuleSource(
                        options.kafka(),
                        options.topics().rules(),
                        end == null ? RuleSource.ALL : end),
                options.statistics(),
                shadow == null
                        ? null
                        : new ShadowOptions(
                                new KafkaRuleSource(
                                        options.kafka(), shadow.rules(), RuleSource.ALL),
                                new ShadowJob.Words()));
    }

    /** Output of an operator that was added without {@link DataStream}'s methods. */
    private static final class Classified
            extends SingleOutputStreamOperator<Tuple2<Integer, byte[]>> {
        Classified(
                StreamExecutionEnvironment env, Transformation<Tuple2<Integer, byte[]>> classify) {
            super(env, classify);
        }
    }

    /** A restart strategy set by the cluster or the launcher takes precedence. */
    private static void recover(StreamExecutionEnvironment env, JobOptions options) {
        Configuration config = new Configuration();
        Recovery.checkpoints(config, options.checkpointInterval(), options.transactionTimeout());
        if (env.getConfiguration().getOptional(RestartStrategyOptions.RESTART_STRATEGY).isEmpty()) {
            Recovery.always(config);
        }
        env.configure(config);
    }

    /** Sets checkpointing and pipeline options of a graph that is to be exactly-once and fast. */
    public static void configure(StreamExecutionEnvironment env, Duration checkpointInterval) {
        Configuration config = new Configuration();
        config.set(CHECKPOINTING_INTERVAL, checkpointInterval);
        config.set(CHECKPOINTING_CONSISTENCY_MODE, CheckpointingMode.EXACTLY_ONCE);
        // Unaligned barriers would gain nothing: before a checkpoint the operator waits for
        // the batches in flight, so that barriers have little to overtake.
        config.set(ENABLE_UNALIGNED, false);
        config.set(PipelineOptions.OBJECT_REUSE, true);
        config.set(PipelineOptions.GENERIC_TYPES, false);
        // State finds its operator by uid: an operator without one fails the build of the graph.
        config.set(PipelineOptions.AUTO_GENERATE_UIDS, false);
        config.set(PipelineOptions.NAME, "sluice");
        env.configure(config);
    }

    /** Sends dead letters to a side output, and passes on the other messages. */
    private static SingleOutputStreamOperator<Tuple2<Integer, byte[]>> checked(
            DataStream<Tuple2<Integer, byte[]>> messages, String uid) {
        return messages.process(new SideOutputDeadLetters())
                .returns(ShardedMessage.TYPE)
                .name(uid)
                .uid(uid);
    }

    private static final class SideOutputDeadLetters
            extends ProcessFunction<Tuple2<Integer, byte[]>, Tuple2<Integer, byte[]>> {
        private static final long serialVersionUID = 1L;

        @Override
        public void processElement(
                Tuple2<Integer, byte[]> message,
                Context context,
                Collector<Tuple2<Integer, byte[]>> out) {
            if (message.f0 == ShardedMessage.DEAD) {
                context.output(DEAD, message);
            } else {
                out.collect(message);
            }
        }
    }
}
