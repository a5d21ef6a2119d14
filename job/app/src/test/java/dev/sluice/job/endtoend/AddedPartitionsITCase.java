package dev.sluice.job.endtoend;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sluice.job.Sluice;
import dev.sluice.job.TestBroker;
import dev.sluice.job.Topics;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.MessageProducer;
import dev.sluice.job.kafka.TopicWatch;
import dev.sluice.job.kafka.WatchedTopics;
import dev.sluice.job.kafka.WatchedTopics.Role;
import dev.sluice.schemas.testing.TestData;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Partitions that are added to the packets topic of a running job. */
@Timeout(60)
class AddedPartitionsITCase {
    @RegisterExtension static final TestBroker broker = new TestBroker();

    @Test
    void theirPacketsAreJudgedSoonAndCountAsUnreadUntilThen() throws Exception {
        Topics topics = Topics.of(broker.bootstrap(), "added").create();
        String packets = topics.names().packets();
        topics.publish(TestData.office("office.ovs"));
        Map<String, Object> config =
                Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, broker.bootstrap());
        WatchedTopics watched =
                new WatchedTopics(
                        new KafkaClients(broker.bootstrap()),
                        List.of(new WatchedTopics.Topic(packets, Role.PACKETS)));
        try (Admin admin = Admin.create(config);
                TopicWatch watch = new TopicWatch(watched, Map.of());
                PacketCount verdicts =
                        new PacketCount(broker.bootstrap(), topics.names().verdicts());
                Sluice.Running job =
                        new Sluice.Running(
                                topics.line(
                                        "run",
                                        "--from",
                                        "earliest",
                                        "--checkpoint-interval",
                                        100,
                                        "--transactional-id-prefix",
                                        "added",
                                        "--group",
                                        "added"))) {
            int sent = PacketStream.COUNT;
            try (MessageProducer producer =
                    new MessageProducer(new KafkaClients(broker.bootstrap()))) {
                new PacketStream(producer, packets).send(1);
                producer.flush();
            }
            await(job, verdicts, sent);
            admin.createPartitions(Map.of(packets, NewPartitions.increaseTo(8))).all().get();
            try (MessageProducer producer =
                    new MessageProducer(new KafkaClients(broker.bootstrap()))) {
                for (int partition = 0; partition < 8; partition++) {
                    producer.send(
                            packets,
                            partition,
                            null,
                            PacketStream.block(partition, 1L + sent, PacketStream.COUNT).encode());
                    sent += PacketStream.COUNT;
                }
                producer.flush();
            }
            Set<TopicPartition> read =
                    Set.of(new TopicPartition(packets, 0), new TopicPartition(packets, 1));
            assertEquals(6, watch.unread(read));
            await(job, verdicts, sent);
            assertEquals(0, verdicts.doubled());
        }
    }

    private static void await(Sluice.Running job, PacketCount verdicts, int packets) {
        job.await(
                () -> {
                    verdicts.poll();
                    return verdicts.answered() == packets;
                });
    }
}
