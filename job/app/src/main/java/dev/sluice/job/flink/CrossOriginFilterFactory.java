package dev.sluice.job.flink;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.runtime.io.network.netty.InboundChannelHandlerFactory;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelHandler;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelHandlerAdapter;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelHandlerContext;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelPipeline;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpServerCodec;

/**
 * Factory that installs a {@link CrossOriginFilter} before every handler of a cluster's REST
 * interface. Flink finds it as a service.
 *
 * <p>Flink adds such handlers after the handler that stores uploads. The filter therefore moves
 * itself directly after the HTTP codec: nothing of a refused request is stored.
 */
public final class CrossOriginFilterFactory implements InboundChannelHandlerFactory {
    @Override
    public int priority() {
        return 0;
    }

    @Override
    public Optional<ChannelHandler> createHandler(
            Configuration config, Map<String, String> responseHeaders) {
        Set<String> names = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        names.add("localhost");
        config.getOptional(RestOptions.ADDRESS).ifPresent(names::add);
        config.getOptional(RestOptions.BIND_ADDRESS).ifPresent(names::add);
        return Optional.of(new InFront(names));
    }

    /** Handler that replaces itself by a filter directly after the HTTP codec. */
    private static final class InFront extends ChannelHandlerAdapter {
        private final Set<String> names;

        InFront(Set<String> names) {
            this.names = names;
        }

        @Override
        public void handlerAdded(ChannelHandlerContext context) {
            ChannelPipeline pipeline = context.pipeline();
            String codec = pipeline.context(HttpServerCodec.class).name();
            pipeline.addAfter(codec, null, new CrossOriginFilter(names));
            pipeline.remove(this);
        }
    }
}
