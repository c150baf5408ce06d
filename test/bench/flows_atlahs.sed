# Of ATLAHS, sim/htsim-backend/sim/datacenter: logsim-interface.cpp tells when each message is sent and when it has come, as
# flows_goal.py reads it; in fat_tree_topology.cpp the uplink of the host in the environment's SLOW_HOST has 0.6 of the rate.
/^    htsim_api->Send(\*event, elem);/i\
    printf("FLOW_BEGIN %u %u %lu %u %lu\\n", elem.host, elem.target, (unsigned long) elem.size, elem.tag,\
           (unsigned long) htsim_api->getGlobalTimeNs());
/^void LogSimInterface::flow_over(const EventOver &event) {/a\
  printf("FLOW_END %u %u %lu %u %lu\\n", event.node->host, event.node->target, (unsigned long) event.node->size,\
         event.node->tag, (unsigned long) htsim_api->getGlobalTimeNs());
/queues_ns_nlp\[srv\]\[tor\]\[b\] = alloc_src_queue(queueLogger);/{
i\
                linkspeed_bps speed = _downlink_speeds[TOR_TIER];\
                if (getenv("SLOW_HOST") && atoi(getenv("SLOW_HOST")) == (int) srv)\
                    _downlink_speeds[TOR_TIER] = speed * 6 / 10;
a\
                _downlink_speeds[TOR_TIER] = speed;
}
