#pragma once
#include <fstream>
#include <map>
#include <string>
#include <vector>
#include "log.h"

namespace cobalt {
struct Options {
    std::map<std::string, std::string> v; std::vector<std::string> order;
    int rank = 0;
    explicit Options(const std::string& file) {
        std::ifstream in(file); std::string l;
        ABORT_IF(!in, "Cannot read configuration %s", file.c_str());
        while (std::getline(in, l)) {
            size_t c = l.find(": "); if (c == std::string::npos) continue;
            v[l.substr(0, c)] = l.substr(c + 2); order.push_back(l.substr(0, c));
        }
    }
    std::string str(const std::string& k) const {
        auto i = v.find(k); ABORT_IF(i == v.end(), "Required option '%s' has not been set", k.c_str());
        return i->second;
    }
    int num(const std::string& k) const { return std::stoi(str(k)); }
    double real(const std::string& k) const { return std::stod(str(k)); }
};
}
