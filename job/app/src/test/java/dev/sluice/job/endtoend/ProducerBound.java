package dev.sluice.job.endtoend;

import java.util.Collections;
import java.util.List;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.quota.ClientQuotaAlteration;
import org.apache.kafka.common.quota.ClientQuotaEntity;
import org.jspecify.annotations.Nullable;

/** How fast a broker takes messages. */
final class ProducerBound {
    private ProducerBound() {}

    /** Has the broker let producers wait beyond a rate; null: beyond none. */
    static void set(Admin admin, @Nullable Double bytesASecond) throws Exception {
        ClientQuotaEntity all = new ClientQuotaEntity(Collections.singletonMap("client-id", null));
        admin.alterClientQuotas(
                        List.of(
                                new ClientQuotaAlteration(
                                        all,
                                        List.of(
                                                new ClientQuotaAlteration.Op(
                                                        "producer_byte_rate", bytesASecond)))))
                .all()
                .get();
    }
}
